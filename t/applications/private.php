<?php
// Executed before each script of an application: its settings and data are
// those of the test, not those in /etc and /var/lib.
define('IRI_APPLICATION', getenv('IRI_APPLICATION'));
define('IRI_DATA', IRI_APPLICATION . '/data');
define('ABSPATH', IRI_APPLICATION . '/srv/wordpress/');
define('DOKU_CONF', IRI_DATA . '/conf/');
if (file_exists(IRI_DATA . '/LocalSettings.php')) {
    define('MW_CONFIG_FILE', IRI_DATA . '/LocalSettings.php');
}
