<?php
// /index.php of a site with Laravel's router: pages by their names.
foreach (['Container', 'Events', 'Http', 'Routing'] as $part) {
    require "Illuminate/$part/autoload.php";
}

$pages = [
    '日本語ガイド' => 'a guide in Japanese',
    '図ガイド?' => 'a reserved character',
];
$router = new Illuminate\Routing\Router(new Illuminate\Events\Dispatcher);
$router->get('/資料/{name}', fn ($name) => $pages[$name]
    ?? throw new Symfony\Component\HttpKernel\Exception\NotFoundHttpException);
try {
    $router->dispatch(Illuminate\Http\Request::capture())->send();
} catch (Symfony\Component\HttpKernel\Exception\NotFoundHttpException $e) {
    http_response_code(404);
}
