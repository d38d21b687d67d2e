// Open every view of explorer pages in Firefox, and say what goes wrong.
//
// `make firefox`, or: npm install puppeteer-core && node tools/firefox.mjs page.html …
//
// It needs Firefox (of the system, or where TREEWRIGHT_FIREFOX says), which it drives by WebDriver BiDi.

import { resolve } from "node:path";
import puppeteer from "puppeteer-core";

const browser = await puppeteer.launch({
  browser: "firefox",
  executablePath: process.env.TREEWRIGHT_FIREFOX ?? "/usr/bin/firefox-esr",
  headless: true,
});
let troubles = 0;
for (const file of process.argv.slice(2)) {
  const page = await browser.newPage();
  const report = (words) => {
    troubles += 1;
    console.log(`${file}: ${words}`);
  };
  page.on("console", (message) => report(message.text()));
  page.on("pageerror", (error) => report(error.message));
  await page.goto(`file://${resolve(file)}`);
  await page.waitForSelector("body[data-ready]", { timeout: 60000 });
  const tabs = await page.$$eval("[role=tab]", (list) => list.map(({ id }) => id));
  for (const tab of tabs) {
    await page.click(`#${tab}`);
    await new Promise((done) => setTimeout(done, 400));
    const isShown = await page.$eval(`#${tab.replace("tab-", "panel-")}`, (panel) => !panel.hidden && panel.childElementCount > 0);
    if (!isShown) report(`${tab} shows nothing`);
  }
  console.log(`${file}: ${tabs.length} views opened`);
  await page.close();
}
await browser.close();
process.exitCode = troubles ? 1 : 0;
