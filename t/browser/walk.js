// Opens pages in a browser, and walks listings like a user.
//
//     node walk.js < {"browser":FILE,"pages":[{"url":URL,"listing":true,
//         "shots":PREFIX}]}
//
// Prints JSON: for each page its network requests, its controls, and its
// appearance in light, dark and narrow; of a listing also its rows, with the
// page that each link opens. The caller judges the results.
'use strict';
const { chromium } = require('playwright-core');

const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 375, height: 900 };

// For each row the text and the target of the link.
function rowsOfPage() {
    return [...document.querySelectorAll('tbody tr')].map((row) => {
        const link = row.querySelector('td:first-child a');
        return {
            text: row.querySelector('bdi').textContent,
            cell: row.cells[0].innerText,
            href: link ? link.getAttribute('href') : null,
            url: link ? link.href : null,
        };
    });
}

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
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    const behind = (element) => {
        for (let at = element; at; at = at.parentElement) {
            const colour = parts(getComputedStyle(at).backgroundColor);
            if (colour.length === 3 || colour[3] === 1) {
                return colour.slice(0, 3);
            }
        }
        return dark ? [18, 18, 18] : [255, 255, 255];
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
            viewport: size, colorScheme: scheme, javaScriptEnabled: true,
        });
        await tab.goto(page.url);
        looks[name] = {
            contrast: await tab.evaluate(lowestContrast),
            // The width and height of each link of the breadcrumb.
            crumbs: await tab.evaluate(() =>
                [...document.querySelectorAll('nav a')].map((a) => {
                    const box = a.getBoundingClientRect();
                    return [box.width, box.height];
                })),
            // Rows whose name is one line, but whose cell has room for two.
            broken: await tab.evaluate(() => [...document.querySelectorAll(
                'tbody tr')].filter((row) => {
                const name = row.querySelector('bdi');
                if (!name || row.querySelector('small')
                    || name.getClientRects().length !== 1) {
                    return false;
                }
                const cell = getComputedStyle(row.cells[0]);
                const height = row.getBoundingClientRect().height
                    - parseFloat(cell.paddingTop)
                    - parseFloat(cell.paddingBottom);
                return height >= 2 * parseFloat(
                    getComputedStyle(name).lineHeight);
            }).map((row) => row.innerText)),
            overflow: await tab.evaluate(() =>
                document.documentElement.scrollWidth - innerWidth),
        };
        if (page.shots) {
            await tab.screenshot({
                path: `${page.shots}-${name}.png`, fullPage: page.listing,
            });
        }
        await tab.close();
    }
    return looks;
}

// Keyboard only: the focused element after each Tab.
async function tabs(tab, count) {
    const order = [];
    for (let i = 0; i < count; i++) {
        await tab.keyboard.press('Tab');
        order.push(await tab.evaluate(() => {
            const at = document.activeElement;
            const style = getComputedStyle(at);
            return { href: at.getAttribute('href'), text: at.textContent,
                seen: style.outlineStyle !== 'none' };
        }));
    }
    return order;
}

async function opened(tab, row) {
    const [answer] = await Promise.all([
        tab.waitForNavigation({ timeout: 10000 }),
        tab.locator(`a[href="${CSSescape(row.href)}"]`).first().click(),
    ]);
    const result = { status: answer.status(),
        type: answer.headers()['content-type'],
        body: (await answer.body()).toString('base64'), url: tab.url() };
    await tab.goBack();
    return result;
}

function CSSescape(text) {
    return text.replace(/["\\]/g, '\\$&');
}

// For each column: the label of its sort link and the resulting order.
async function sorts(tab, url) {
    const result = [];
    const columns = await tab.locator('thead th a').count();
    for (let i = 0; i < columns; i++) {
        await tab.goto(url);
        await tab.locator('thead th a').nth(i).click();
        result.push({
            sorted: await tab.locator('thead th').nth(i)
                .getAttribute('aria-sort'),
            first: (await tab.evaluate(rowsOfPage)).map((row) => row.text),
        });
    }
    return result;
}

// Opens each row of a listing, and sorts by each column.
async function walk(tab, page, result) {
    result.rows = await tab.evaluate(rowsOfPage);
    for (const row of result.rows.filter((row) => row.href)) {
        row.opened = await opened(tab, row);
    }
    result.sorts = await sorts(tab, page.url);
}

async function look(browser, page) {
    const tab = await browser.newPage({ viewport: WIDE });
    const asked = [], errors = [];
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
        url: page.url, asked: [...asked],
        title: await tab.title(),
        charset: await tab.evaluate(() => document.characterSet),
        mode: await tab.evaluate(() => document.compatMode),
        table: await tab.getByRole('table').count(),
        headers: await tab.getByRole('columnheader').count(),
        navigation: await tab.getByRole('navigation').count(),
        heading: await tab.getByRole('heading', { level: 1 }).count(),
        images: await tab.getByRole('img').count(),
        focusable: await tab.evaluate(() => [...document.links].slice(0, 8)
            .map((link) => link.getAttribute('href'))),
    };
    result.tabs = await tabs(tab, result.focusable.length);
    if (page.listing) {
        await walk(tab, page, result);
    }
    result.errors = errors;
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
