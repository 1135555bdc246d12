<?php
// The settings, pages and files of WordPress.
$content = ABSPATH . 'wp-content';
foreach (['themes', 'plugins', 'uploads'] as $directory) {
    mkdir("$content/$directory", 0755, true);
}
symlink('/usr/share/wordpress/wp-content/themes/twentytwentythree',
    "$content/themes/twentytwentythree");
$socket = IRI_DATA . '/db/socket';
file_put_contents(ABSPATH . 'wp-config.php', '<?php
    define("DB_NAME", "wordpress");
    define("DB_USER", "root");
    define("DB_PASSWORD", "");
    define("DB_HOST", "localhost:' . $socket . '");
    define("DB_CHARSET", "utf8mb4");
    define("DB_COLLATE", "");
    define("WP_HOME", "http://localhost");
    define("WP_SITEURL", "http://localhost");
    define("DISABLE_WP_CRON", true);
    define("WP_HTTP_BLOCK_EXTERNAL", true);
    $table_prefix = "wp_";
    require ABSPATH . "wp-settings.php";
');
$database = new mysqli('localhost', 'root', '', '', 0, $socket);
$database->query('CREATE DATABASE wordpress');

define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = 'localhost';
require ABSPATH . 'wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
function wp_mail() { return true; }
wp_install('Blog', 'admin', 'admin@localhost', true, '', 'secret');
$wp_rewrite->set_permalink_structure('/%postname%/');
flush_rewrite_rules();
file_put_contents(ABSPATH . '.htaccess', $wp_rewrite->mod_rewrite_rules());
foreach (['日本語ガイド' => 'a guide in Japanese', '秘密ガイド' => 'a secret guide',
    'Café' => 'a page about coffee'] as $title => $text) {
    wp_insert_post(['post_type' => 'page', 'post_status' => 'publish',
        'post_title' => $title, 'post_content' => $text]);
}
update_option('uploads_use_yearmonth_folders', 0);
wp_upload_bits('図ガイド.png', null, 'a picture');
