<?php
declare(strict_types=1);

final class Token
{
    /** @param array<string, mixed> $session */
    public function __construct(private array &$session)
    {
        $this->session['token'] ??= bin2hex(random_bytes(16));
    }

    public function value(): string
    {
        return $this->session['token'];
    }

    public function matches(string $given): bool
    {
        return hash_equals($this->value(), $given);
    }
}
