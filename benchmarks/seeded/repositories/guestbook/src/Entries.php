<?php
declare(strict_types=1);

final class Entries
{
    private const PER_PAGE = 20;

    public function __construct(private PDO $db)
    {
        $this->db->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);
    }

    public function add(string $name, string $text): void
    {
        if (trim($name) === '' || trim($text) === '' || mb_strlen($text) > 2000) {
            throw new InvalidArgumentException('an entry needs a name and a text of at most 2000 letters');
        }
        $statement = $this->db->prepare('INSERT INTO entries (name, text, at) VALUES (?, ?, ?)');
        $statement->execute([$name, $text, gmdate('c')]);
    }

    /** @return list<array{name: string, text: string, at: string}> */
    public function page(int $number): array
    {
        $statement = $this->db->prepare('SELECT name, text, at FROM entries ORDER BY at DESC LIMIT ? OFFSET ?');
        $statement->bindValue(1, self::PER_PAGE, PDO::PARAM_INT);
        $statement->bindValue(2, ($number - 1) * self::PER_PAGE, PDO::PARAM_INT);
        $statement->execute();
        return $statement->fetchAll(PDO::FETCH_ASSOC);
    }
}
