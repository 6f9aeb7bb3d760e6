<?php
declare(strict_types=1);

final class Page
{
    /** @param list<array{name: string, text: string, at: string}> $entries */
    public function show(array $entries, string $token): string
    {
        $rows = array_map(fn (array $entry): string => $this->row($entry), $entries);
        return '<form method="post"><input type="hidden" name="token" value="' . $this->plain($token) . '">'
            . '<input name="name"><textarea name="text"></textarea><button>Send</button></form>'
            . implode("\n", $rows);
    }

    /** @param array{name: string, text: string, at: string} $entry */
    private function row(array $entry): string
    {
        return '<article><h2>' . $this->plain($entry['name']) . '</h2><p>' . $this->plain($entry['text']) . '</p></article>';
    }

    private function plain(string $text): string
    {
        return htmlspecialchars($text, ENT_QUOTES | ENT_SUBSTITUTE, 'UTF-8');
    }
}
