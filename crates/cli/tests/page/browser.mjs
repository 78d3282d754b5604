// Drives Chromium over the page: node browser.mjs JSON. Each case is a line of what it prints; the first that fails ends it.
import { createRequire } from "node:module";
import { execFileSync } from "node:child_process";
import { readFileSync, mkdirSync } from "node:fs";
import assert from "node:assert/strict";

const told = JSON.parse(process.argv[2]);
const require = createRequire(`${process.env.PACKAGES}/`);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell",
  args: ["--no-sandbox"],
});
const origin = new URL(told.link).origin;
const wrong = [];
const watch = (page) => {
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !/409|Conflict/.test(message.text())) wrong.push(message.text());
  });
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(new URL(page.url() === "about:blank" ? request.url() : page.url()).origin)) wrong.push(`a request to ${request.url()}`);
  });
  return page;
};
const cli = (...words) =>
  execFileSync(told.program, words, { cwd: told.directory, env: { SCRATCHPAD_HOME: told.home, TZ: "UTC" }, encoding: "utf8" });
const write = (...words) => cli("session", ...words, "--session", told.session);
const done = (what) => console.log(`ok ${what}`);

const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
const page = watch(await context.newPage());
await page.goto(told.link);
assert.equal(new URL(page.url()).pathname, told.project);
const cookies = await context.cookies();
assert.ok(cookies.every((it) => it.httpOnly && it.sameSite === "Strict"), JSON.stringify(cookies));
done("the link logs in");

// What another process writes appears by itself, and nothing that a person has at hand is lost.
const session = `/s/${told.session}`;
await page.goto(origin + session);
await page.waitForFunction(() => document.getElementById("live")?.textContent === "Live");
await page.waitForTimeout(500);
await page.evaluate(() => { globalThis.asked = 0; const before = fetch; globalThis.fetch = (...all) => { asked += 1; return before(...all); }; });
await page.focus("#item-3");
await page.evaluate(() => document.getElementById("closed").setAttribute("open", ""));
const began = Date.now();
write("set-notes", "A new note from the terminal.");
await page.waitForFunction(() => document.querySelector("#notes pre")?.textContent.includes("from the terminal"));
const took = Date.now() - began;
assert.ok(took < 3000, `${took} ms`);
assert.equal(await page.evaluate(() => document.activeElement.id), "item-3");
assert.ok(await page.evaluate(() => document.getElementById("closed").open));
assert.equal(await page.evaluate(() => asked), 1);
await page.waitForTimeout(1200);
assert.equal(await page.evaluate(() => asked), 1, "nothing is asked for when nothing was written");
done(`a write is seen (${took} ms, with the start of the process that wrote)`);

// Further down the page, what is read stays where it is while rows come in above.
await page.goto(origin + told.project);
await page.waitForFunction(() => document.getElementById("live")?.textContent === "Live");
await page.waitForTimeout(500);
const place = await page.evaluate(() => { scrollTo(0, 900); const row = [...document.querySelectorAll("tr[id]")].find((it) => it.getBoundingClientRect().top > 100); return [row.id, row.getBoundingClientRect().top]; });
cli("session", "set-plan", "A session that comes in", "--session", "comes-in");
await page.waitForFunction(() => document.getElementById("row-/s/comes-in") !== null);
const after = await page.evaluate((id) => document.getElementById(id).getBoundingClientRect().top, place[0]);
assert.ok(Math.abs(after - place[1]) <= 1, `${place} ${after}`);
done("what is read stays in its place");
await page.goto(origin + session);

await page.click("#edit-notes summary");
await page.fill("#notes-text", "half a sentence");
write("set-notes", "The agent goes on.");
await page.waitForTimeout(700);
assert.equal(await page.inputValue("#notes-text"), "half a sentence");
await page.click("#edit-notes button.primary");
await page.waitForSelector("#theirs");
const both = await page.textContent("main");
assert.ok(both.includes("The agent goes on.") && (await page.inputValue("#yours-text")) === "half a sentence");
await page.click("button.primary");
await page.waitForSelector(".done");
done("what is being typed stays, and a newer text is shown beside it");
await page.click("#actions button");
await page.waitForFunction(() => document.querySelector("#notes pre").textContent === "The agent goes on.");
done("undo is one click");

await page.click("#live");
await page.waitForFunction(() => document.getElementById("live").textContent === "Paused");
write("set-notes", "Written while paused.");
await page.waitForTimeout(700);
assert.ok(!(await page.textContent("#notes")).includes("while paused"));
await page.click("#live");
await page.waitForFunction(() => document.querySelector("#notes pre").textContent.includes("while paused"));
done("paused and on again");
// As it was before.
for (let times = 0; times < 3; times += 1) write("undo");

await page.goto(`${origin}${told.project}/notes`);
await page.fill("#q", "vpn");
await page.waitForFunction(() => document.querySelectorAll(".notes li").length === 1);
assert.equal(await page.evaluate(() => document.activeElement.id), "q");
assert.ok(page.url().includes("q=vpn"));
done("notes are found while typing");

await page.goto(`${origin}/o/${told.tree}`);
await page.click("summary:has-text('items')");
await page.waitForSelector("details[open] ul.tree li");
done("a branch of a tree opens in place");

// By keyboard alone: to the first session, undo, and back.
await page.goto(origin + told.project);
await page.keyboard.press("Tab");
assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
for (let steps = 0; steps < 40; steps += 1) {
  if (await page.evaluate(() => document.activeElement.closest("#sessions") !== null)) break;
  await page.keyboard.press("Tab");
}
await page.keyboard.press("Enter");
await page.waitForURL(/\/s\//);
done("by keyboard alone");

// Without a script every view and form is there.
const plain = await browser.newContext({ javaScriptEnabled: false, storageState: await context.storageState() });
const bare = await plain.newPage();
await bare.goto(origin + session);
await bare.click("#edit-refs summary");
await bare.fill("#refs-text", "one\ntwo");
await bare.click("#edit-refs button.primary");
await bare.waitForURL(/done=saved/);
assert.equal(await bare.locator(".refs li").count(), 2);
await bare.click("#actions button");
await bare.waitForURL(/done=undone/);
assert.ok((await bare.locator(".refs li").count()) > 2);
await bare.goto(`${origin}${told.project}/notes?q=importer`);
await bare.check(".notes input >> nth=0");
await bare.click("button.danger");
await bare.waitForSelector("input[name=sure]", { state: "attached" });
assert.ok((await bare.textContent("h1")).includes("Delete 1 note?"));
await bare.click("form .actions a");
await bare.goto(`${origin}/o/${told.tree}`);
await bare.click("summary:has-text('items')");
await bare.click("details[open] > a");
await bare.waitForURL(/path=/);
assert.ok((await bare.textContent(".way")).includes("400 entries"));
await plain.close();
done("without a script");

// Every view in both schemes, wide and narrow, in both languages.
const views = {
  project: told.project,
  session,
  given: `${session}/given?host=claude-code`,
  revision: `${session}/r/3`,
  notes: `${told.project}/notes`,
  outputs: `${told.project}/outputs`,
  log: `/o/${told.log}?lines=40-140`,
  tree: `/o/${told.tree}?view=tree&path=${encodeURIComponent('["items",0]')}`,
  table: `/o/${told.table}`,
  large: `/o/${told.large}`,
  health: "/health",
};
// Those of docs/page.md; the test keeps all of them on wish.
const KEPT = new Set([
  ...Object.keys(views).map((name) => `page-${name}-1280-light`),
  "page-session-1280-dark", "page-log-1280-dark", "page-project-390-light", "page-session-390-dark",
]);
mkdirSync(told.pictures, { recursive: true });
const state = await context.storageState();
let count = 0;
const bad = [];
for (const scheme of ["light", "dark"]) {
  for (const width of [1280, 390, 320]) {
    const looks = await browser.newContext({ viewport: { width, height: width > 500 ? 860 : 844 }, colorScheme: scheme, storageState: state, locale: width === 320 ? "de-DE" : "en-GB", deviceScaleFactor: 1 });
    const view = watch(await looks.newPage());
    const check = async (name) => {
      const found = await view.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (found > 0) bad.push(`${name} is ${found} px too wide at ${width}`);
      for (const violation of await checked(view)) bad.push([name, width, scheme, ...violation]);
      const picture = `page-${name}-${width}-${scheme}`;
      if (told.all ? width !== 320 : KEPT.has(picture)) await view.screenshot({ path: `${told.pictures}/${picture}.png` });
      count += 1;
    };
    for (const [name, path] of Object.entries(views)) {
      await view.goto(origin + path);
      if (name === "revision") await view.waitForSelector("ins");
      await check(name);
    }
    await looks.close();
  }
}
assert.equal(bad.length, 0, JSON.stringify(bad, null, 1));
// Nothing at all, and nobody.
const fresh = await browser.newContext({ viewport: { width: 1280, height: 860 } });
const none = watch(await fresh.newPage());
await none.goto(told.empty);
await none.screenshot({ path: `${told.pictures}/page-empty-1280-light.png` });
await none.goto(`${new URL(told.empty).origin}/p/nothing`);
if (told.all) await none.screenshot({ path: `${told.pictures}/page-nothing-1280-light.png` });
done(`${count} views without a violation, at 1280, 390 and 320 px, in light and dark, in English and German`);

// The policy forbids evaluating, so axe runs in a world of its own.
async function checked(view) {
  const session = await view.context().newCDPSession(view);
  const { frameTree } = await session.send("Page.getFrameTree");
  const world = await session.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id, worldName: "axe", grantUniveralAccess: true });
  const run = async (expression, awaitPromise) => {
    const answer = await session.send("Runtime.evaluate", { expression, contextId: world.executionContextId, awaitPromise, returnByValue: true });
    assert.ok(!answer.exceptionDetails, JSON.stringify(answer.exceptionDetails));
    return answer.result.value;
  };
  await run(`${axe}; 0`, false);
  const found = await run(
    `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }).then((it) => JSON.stringify(it.violations.map((v) => [v.id, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + " | " + n.failureSummary)])))`,
    true,
  );
  await session.detach();
  return JSON.parse(found);
}

assert.deepEqual(wrong, []);
done("no message of the browser and no request to elsewhere");
await browser.close();
