<?php
declare(strict_types=1);

require_once __DIR__ . '/src/Entries.php';
require_once __DIR__ . '/src/Page.php';
require_once __DIR__ . '/src/Token.php';

session_start();
$entries = new Entries(new PDO(getenv('DATABASE') ?: 'sqlite:guestbook.sqlite'));
$token = new Token($_SESSION);

if ($_SERVER['REQUEST_METHOD'] === 'POST') {
    if (!$token->matches((string) ($_POST['token'] ?? ''))) {
        http_response_code(403);
        exit;
    }
    $entries->add((string) ($_POST['name'] ?? ''), (string) ($_POST['text'] ?? ''));
    header('Location: index.php', true, 303);
    exit;
}

$page = max(1, (int) ($_GET['page'] ?? 1));
echo (new Page())->show($entries->page($page), $token->value());
