<?php
// The settings, pages and media files of DokuWiki.
foreach (['pages', 'meta', 'media', 'media_meta', 'media_attic', 'attic',
    'cache', 'index', 'locks', 'tmp', 'log'] as $directory) {
    mkdir(IRI_DATA . "/wiki/$directory", 0700, true);
}
mkdir(DOKU_CONF);
file_put_contents(DOKU_CONF . 'local.php', '<?php
    $conf["savedir"]    = IRI_DATA . "/wiki";
    $conf["title"]      = "Wiki";
    $conf["userewrite"] = 1;
    $conf["useslash"]   = 1;
    $conf["useacl"]     = 0;
');
$_SERVER['SCRIPT_NAME'] = '/doku.php';
$_SERVER['HTTP_HOST'] = 'localhost';
define('DOKU_INC', '/usr/share/dokuwiki/');
require DOKU_INC . 'inc/init.php';
saveWikiText('日本語ガイド', 'a guide in Japanese', 'made');
saveWikiText('資料:ガイド', 'a guide in a namespace', 'made');
saveWikiText('秘密ガイド', 'a secret guide', 'made');
saveWikiText('café', 'a page about coffee', 'made');
$media = mediaFN('資料:図ガイド.png');
mkdir(dirname($media), 0700, true);
file_put_contents($media, 'a picture');

// Its own rules for httpd, with those for pages uncommented.
[$rules] = explode('## Not all',
    file_get_contents(DOKU_INC . '.htaccess.dist'), 2);
file_put_contents(IRI_APPLICATION . '/srv/dokuwiki/.htaccess',
    preg_replace('/^#(?=Rewrite)/m', '', $rules));
