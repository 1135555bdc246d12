<?php
// The settings, pages and files of MediaWiki.
$upload = IRI_APPLICATION . '/srv/mediawiki/images';
mkdir($upload);
file_put_contents(MW_CONFIG_FILE, '
    $wgArticlePath     = "/wiki/$1";
    $wgEnableUploads   = true;
    $wgUploadDirectory = "' . $upload . '";
    $wgUploadPath      = "/images";
    $wgHashedUploadDirectory = false;
    $wgJobRunRate      = 0;
', FILE_APPEND);

require '/usr/share/mediawiki/maintenance/Maintenance.php';

class Pages extends Maintenance {
    public function execute() {
        $services = MediaWiki\MediaWikiServices::getInstance();
        $user = User::newSystemUser('Maintenance script', ['steal' => true]);
        foreach (['日本語ガイド' => 'a guide in Japanese',
            '秘密ガイド' => 'a secret guide', 'Café' => 'a page about coffee',
            'A/Bガイド?' => 'two reserved characters'] as $name => $text) {
            $title = Title::newFromText($name);
            $services->getWikiPageFactory()->newFromTitle($title)
                ->doUserEditContent(ContentHandler::makeContent($text, $title),
                    $user, 'made');
        }
        $picture = IRI_DATA . '/picture.png';
        imagepng(imagecreate(1, 1), $picture);
        $services->getRepoGroup()->getLocalRepo()->newFile('図ガイド.png')
            ->upload($picture, 'made', 'made', 0, false, false, $user);
    }
}

$maintClass = Pages::class;
require RUN_MAINTENANCE_IF_MAIN;
