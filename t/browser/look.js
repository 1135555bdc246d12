// Opens status pages in a browser.
//
//     node look.js < {"browser":FILE,"pages":[{"url":URL,"shots":PREFIX}]}
//
// Prints JSON: for each page its network requests, its controls,
// and its appearance in light, dark and narrow. The caller judges the
// results.
'use strict';
const { chromium } = require('playwright-core');

const WIDE = { width: 1000, height: 900 };
const NARROW = { width: 320, height: 900 };

// WCAG 2, contrast of the colour of each text against its background.
function lowestContrast() {
    const parts = (text) => (text.match(/[\d.]+/g) || []).map(Number);
    const luminance = (rgb) => {
        const [r, g, b] = rgb.map((value) => {
            const c = value / 255;
            return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (element) => {
        for (let at = element; at; at = at.parentElement) {
            const colour = parts(getComputedStyle(at).backgroundColor);
            if (colour.length === 3 || colour[3] === 1) {
                return colour.slice(0, 3);
            }
        }
        return [255, 255, 255];
    };
    let lowest = 21;
    for (const element of document.querySelectorAll(
        'a, td, th, h1, h2, caption, figcaption, small, p, dt, dd, span')) {
        const pair = [parts(getComputedStyle(element).color).slice(0, 3),
            behind(element)].map(luminance).sort((a, b) => b - a);
        lowest = Math.min(lowest, (pair[0] + 0.05) / (pair[1] + 0.05));
    }
    return lowest;
}

async function looks(browser, page) {
    const looks = {};
    for (const [name, size, scheme] of [['light', WIDE, 'light'],
        ['dark', WIDE, 'dark'], ['narrow', NARROW, 'light']]) {
        const tab = await browser.newPage({
            viewport: size, colorScheme: scheme,
        });
        await tab.goto(page.url);
        looks[name] = {
            contrast: await tab.evaluate(lowestContrast),
            overflow: await tab.evaluate(() =>
                document.documentElement.scrollWidth - innerWidth),
        };
        if (page.shots) {
            await tab.screenshot({ path: `${page.shots}-${name}.png` });
        }
        await tab.close();
    }
    return looks;
}

async function look(browser, page) {
    const tab = await browser.newPage({ viewport: WIDE });
    const asked = [], errors = [], tabs = [];
    tab.on('request', (request) => asked.push(request.url()));
    // Browsers request /favicon.ico automatically.
    tab.on('console', (message) => {
        if (!message.location().url.endsWith('/favicon.ico')) {
            errors.push(message.text());
        }
    });
    tab.on('pageerror', (error) => errors.push(String(error)));
    tab.on('dialog', (dialog) => {
        errors.push(dialog.message());
        dialog.dismiss();
    });
    await tab.goto(page.url);
    const result = {
        url: page.url,
        mode: await tab.evaluate(() => document.compatMode),
        heading: await tab.getByRole('heading', { level: 1 }).count(),
        images: await tab.getByRole('img').count(),
    };
    for (let i = 0; i < 2; i++) {
        await tab.keyboard.press('Tab');
        tabs.push(await tab.evaluate(() => ({
            text: document.activeElement.textContent,
            seen: getComputedStyle(document.activeElement).outlineStyle
                !== 'none',
        })));
    }
    Object.assign(result, { asked, errors, tabs });
    await tab.close();
    result.looks = await looks(browser, page);
    return result;
}

async function main() {
    let text = '';
    for await (const chunk of process.stdin) {
        text += chunk;
    }
    const { browser: executablePath, pages } = JSON.parse(text);
    const browser = await chromium.launch({
        executablePath, args: process.getuid() === 0 ? ['--no-sandbox'] : [],
    });
    try {
        const results = [];
        for (const page of pages) {
            results.push(await look(browser, page));
        }
        process.stdout.write(JSON.stringify(results));
    } finally {
        await browser.close();
    }
}

main().catch((error) => {
    console.error(error);
    process.exitCode = 1;
});
