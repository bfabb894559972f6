// Drives a headless Chromium over the pages of nodes that it starts; see .ci/page. Waits for conditions, never for a
// time; times are printed and judge nothing.
import { spawn } from 'node:child_process';
import http from 'node:http';
import { createRequire } from 'node:module';

const { SERVER, SCREENSHOTS, MODULES, CHROMIUM = '/usr/bin/chromium' } = process.env;
const require = createRequire(MODULES);
const { chromium } = require('playwright-core');
const axe = require('axe-core').source;

const INSTANCES = 10_000;
const PATIENCE = 30_000; // a busy machine is no fault of a page

let passed = 0, failed = 0;
const ends = [];
const agent = new http.Agent({ keepAlive: true, maxSockets: 32 });

function check(what, isSo, more = '') {
  if (isSo) passed += 1; else { failed += 1; console.log(`FAIL ${what} ${more}`); }
}

// A step that throws is one that failed; the others go on.
async function step(what, run) {
  try { await run(); check(what, true); } catch (error) { check(what, false, `: ${error.message.slice(0, 600)}`); }
}

function ask(url, options = {}) {
  return new Promise((done, fail) => {
    const request = http.request(url, { agent, ...options }, (answer) => {
      answer.resume();
      answer.on('end', () => done(answer.statusCode));
    });
    request.on('error', fail);
    request.end(options.body);
  });
}

// A node on a free port; its origin, without a slash.
function start(...options) {
  const node = spawn(SERVER, ['--port', '0', '--server.address=127.0.0.1', ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
  ends.push(() => node.kill('SIGTERM'));
  return new Promise((done, fail) => {
    let said = '';
    const listen = (bytes) => {
      said += bytes;
      const port = said.match(/listening on http:\/\/[^\s]*:(\d+)/);
      if (port) done(`http://127.0.0.1:${port[1]}`);
    };
    node.stdout.on('data', listen);
    node.stderr.on('data', listen);
    node.on('exit', () => fail(new Error(`the node ended: ${said.slice(-500)}`)));
    setTimeout(() => fail(new Error(`the node does not listen: ${said.slice(-500)}`)), PATIENCE).unref();
  });
}

function record(app, id, more = {}) {
  return { instanceId: id, hostName: `${id}.example`, app, ipAddr: '10.0.0.1', vipAddress: app.toLowerCase(), status: 'UP',
    port: { $: 8080, '@enabled': 'true' }, homePageUrl: `http://${id}.example:8080/`, leaseInfo: { durationInSecs: 900 },
    statusPageUrl: `http://${id}.example:8080/actuator/info`,
    dataCenterInfo: { '@class': 'com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo', name: 'MyOwn' }, ...more };
}

async function register(origin, instance, more = {}) {
  const body = JSON.stringify({ instance });
  const headers = { 'content-type': 'application/json', ...more };
  const status = await ask(`${origin}/eureka/apps/${encodeURIComponent(instance.app)}`, { method: 'POST', headers, body });
  if (status !== 204) throw new Error(`registering ${instance.app} was answered ${status}`);
}

async function registerAll(origin, instances) {
  let next = 0;
  const one = async () => { while (next < instances.length) await register(origin, instances[next++]); };
  await Promise.all(Array.from({ length: 32 }, one));
}

// A proxy that serves a node under /behind/a/proxy, and knows nothing of its pages.
function proxy(origin) {
  const prefix = '/behind/a/proxy';
  const server = http.createServer((request, response) => {
    if (!request.url.startsWith(`${prefix}/`)) { response.writeHead(404).end(); return; }
    const onwards = http.request(origin + request.url.slice(prefix.length), { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onwards.on('error', () => response.destroy());
    response.on('close', () => onwards.destroy());
    request.pipe(onwards);
  });
  ends.push(() => { server.close(); server.closeAllConnections(); });
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done(`http://127.0.0.1:${server.address().port}${prefix}`)));
}

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
ends.push(() => browser.close());

// A tab in which every complaint and every request to another host is written down.
async function tab(origin, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  page.complaints = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) page.complaints.push(message.text()); });
  page.on('pageerror', (error) => page.complaints.push(error.message));
  page.on('request', (request) => { if (new URL(request.url()).origin !== new URL(origin).origin) page.complaints.push(`asked ${request.url()}`); });
  page.on('dialog', (dialog) => { page.complaints.push('a dialog'); dialog.dismiss(); });
  return page;
}

async function done(page, what) {
  check(`${what}: no complaint in the console, nothing asked of other hosts`, page.complaints.length === 0, page.complaints.join(' | '));
  await page.context().close();
}

const digits = (text) => text.replace(/\D/g, '');
const summary = (page, text) => page.waitForFunction((text) => document.getElementById('summary')?.textContent.replace(/\u202f/g, '').includes(text), text);
const tile = (page, name, value) => page.waitForFunction(([name, value]) => [...document.querySelectorAll('.tile')].some((tile) =>
  tile.querySelector('span').textContent === name && tile.querySelector('b').textContent.replace(/\D/g, '') === value), [name, value]);

async function accessible(page, what) {
  const found = await page.evaluate(`${axe}; axe.run(document, { resultTypes: ['violations'] })`);
  const serious = found.violations.filter((violation) => ['serious', 'critical'].includes(violation.impact));
  const said = serious.map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.html).slice(0, 3).join(' ')}`);
  check(`${what}: nothing serious for axe`, serious.length === 0, said.join(' | '));
}

const shot = (page, name) => page.screenshot({ path: `${SCREENSHOTS}/${name}.png` });

async function tenThousand() {
  const origin = await start();
  const began = performance.now();
  const all = Array.from({ length: INSTANCES }, (_, n) => record(`SERVICE-${String(n % 240).padStart(3, '0')}`, `host-${n}`, {
    status: n % 1000 === 7 ? 'DOWN' : 'UP', metadata: { zone: `zone-${n % 3}`, version: `1.${n % 4}` } }));
  await registerAll(origin, all);
  console.log(`registered ${INSTANCES} in ${Math.round(performance.now() - began)} ms`);
  await ask(`${origin}/eureka/apps/SERVICE-003/host-3/status?value=OUT_OF_SERVICE`, { method: 'PUT' });

  const page = await tab(origin);
  await step('the first page of ten thousand', async () => {
    await page.goto(`${origin}/`);
    await tile(page, 'Instances', String(INSTANCES));
    await page.getByRole('heading', { name: 'Instances currently registered with Eureka' }).waitFor();
    const times = await page.evaluate(() => {
      const [load] = performance.getEntriesByType('navigation');
      const paint = performance.getEntriesByName('first-contentful-paint')[0];
      return { answer: load.responseEnd - load.requestStart, paint: paint ? paint.startTime - load.responseEnd : -1 };
    });
    console.log(`first page: answered in ${Math.round(times.answer)} ms, painted ${Math.round(times.paint)} ms after that`);
  });
  const told = await tab(origin);
  await step('a registration shows because the node tells of it', async () => {
    // Nothing is asked for by the clock.
    await told.addInitScript(() => { window.setInterval = () => 0; });
    await told.goto(`${origin}/`);
    await tile(told, 'Instances', String(INSTANCES));
    await told.waitForFunction(() => document.getElementById('live').textContent === 'live');
    const began = performance.now();
    await register(origin, record('NEWCOMER', 'new-1'));
    await tile(told, 'Instances', String(INSTANCES + 1));
    console.log(`a registration showed after ${Math.round(performance.now() - began)} ms`);
  });
  await done(told, 'told of a registration');
  await tile(page, 'Instances', String(INSTANCES + 1));
  await accessible(page, 'first page');
  await shot(page, 'overview');

  await step('search as one types', async () => {
    await page.goto(`${origin}/instances`);
    await summary(page, `of ${INSTANCES + 1}`);
    const began = performance.now();
    await page.getByRole('searchbox').pressSequentially('host-9876');
    await summary(page, '1 to 1 of 1 found');
    console.log(`a search of nine letters took ${Math.round(performance.now() - began)} ms with typing`);
    check('the search stays in the address', page.url().includes('q=host-9876'));
    const one = await page.evaluate(async () => {
      const box = document.querySelector('input[type=search]');
      const began = performance.now();
      const seen = new Promise((done) => new MutationObserver(() => done(performance.now() - began)).observe(document.getElementById('content'), { childList: true, subtree: true }));
      box.value = 'host-987';
      box.dispatchEvent(new Event('input', { bubbles: true }));
      return seen;
    });
    console.log(`one letter more or less showed after ${Math.round(one)} ms`);
  });
  await step('filter by status, zone and application, and sort', async () => {
    await page.goto(`${origin}/instances`);
    await page.getByLabel('Status').selectOption('DOWN');
    await summary(page, `of ${INSTANCES / 1000} found`);
    await page.getByLabel('Zone').selectOption('zone-1');
    await summary(page, 'of 4 found');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await summary(page, 'of 4 found');
    await page.getByRole('link', { name: 'Show all' }).click();
    await summary(page, `of ${INSTANCES + 1}`);
    await page.getByLabel('Application').fill('newcomer');
    await summary(page, '1 to 1 of 1 found');
    await page.goto(`${origin}/instances`);
    await page.getByRole('link', { name: 'Instance', exact: true }).click();
    await page.locator('th[aria-sort=ascending]', { hasText: 'Instance' }).waitFor();
    await page.getByRole('link', { name: 'Later' }).click();
    await summary(page, '101 to 200 of');
  });
  await accessible(page, 'list');
  await shot(page, 'instances');

  await step('all about one instance, and why it is out of service', async () => {
    await page.goto(`${origin}/instances?q=host-3&show=overridden`);
    await page.getByRole('link', { name: 'host-3', exact: true }).click();
    await page.getByText('An override orders OUT_OF_SERVICE').waitFor();
    await page.getByRole('link', { name: 'http://host-3.example:8080/actuator/info' }).waitFor();
    await ask(`${origin}/eureka/apps/SERVICE-003/host-3/status?value=UP`, { method: 'DELETE' });
    await page.getByText('an override was taken back').waitFor();
  });
  await accessible(page, 'instance');
  await shot(page, 'instance');
  await step('the last thousand', async () => {
    await page.getByRole('link', { name: 'Last 1000 since startup' }).first().click();
    await page.getByText('NEWCOMER(new-1)').waitFor();
  });
  await accessible(page, 'last thousand');
  await step('by keyboard alone', async () => {
    await page.goto(`${origin}/`);
    await page.keyboard.press('Tab');
    check('the first key leads to the content', await page.evaluate(() => document.activeElement.className) === 'skip');
    await page.getByRole('searchbox').focus();
    await page.keyboard.type('host-42');
    await page.keyboard.press('Enter');
    await summary(page, 'found');
  });
  await done(page, 'ten thousand instances');

  const plain = await tab(origin, { javaScriptEnabled: false });
  await step('without scripts: search, filter, page, detail', async () => {
    await plain.goto(`${origin}/`);
    await plain.getByRole('searchbox').fill('host-12');
    await plain.getByRole('button', { name: 'Search' }).click();
    check('a search without scripts finds', digits(await plain.locator('#summary').innerText()).startsWith('1100111'), await plain.locator('#summary').innerText());
    await plain.getByLabel('Zone').selectOption('zone-0');
    await plain.getByRole('button', { name: 'Show', exact: true }).click();
    await plain.getByRole('link', { name: 'host-12', exact: true }).click();
    await plain.getByText('The instance says so itself.').waitFor();
  });
  await done(plain, 'without scripts');
  return origin;
}

async function looks(origin) {
  for (const [name, options] of [['dark', { colorScheme: 'dark' }], ['light', { colorScheme: 'light' }], ['narrow', { viewport: { width: 390, height: 844 } }]]) {
    const page = await tab(origin, options);
    for (const [path, called] of [['/', 'overview'], ['/instances', 'instances'], ['/instance?app=SERVICE-004&id=host-4', 'instance']]) {
      await step(`${name} ${called}`, async () => {
        await page.goto(origin + path);
        await page.getByRole('heading').first().waitFor();
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        check(`${name} ${called}: nothing sticks out`, wide <= 0, `${wide} px`);
        await shot(page, `${name}-${called}`);
      });
      await accessible(page, `${name} ${called}`);
    }
    await done(page, name);
  }
}

async function behindAProxy(origin) {
  const outside = await proxy(origin);
  const page = await tab(outside);
  await step('behind a proxy, under a prefix', async () => {
    await page.goto(`${outside}/`);
    await page.waitForFunction(() => document.getElementById('live').textContent === 'live');
    await page.getByRole('link', { name: 'Instances', exact: true }).first().click();
    await page.getByRole('searchbox').fill('host-777');
    await summary(page, '1 to 1');
    await page.getByRole('link', { name: 'host-777', exact: true }).click();
    await page.getByRole('heading', { name: 'host-777' }).waitFor();
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByRole('heading', { name: 'System Status' }).waitFor();
    check('it never left the prefix', page.url() === `${outside}/`, page.url());
  });
  await done(page, 'behind a proxy');
}

async function hostile() {
  const origin = await start();
  const strings = ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', 'javascript:alert(1)//', '\u202egnirts\u200f', 'x'.repeat(2000), "';alert(1)//"];
  for (const text of strings) {
    await register(origin, record(text.slice(0, 200), text.slice(0, 200), { hostName: text, ipAddr: text, vipAddress: text, appGroupName: text, asgName: text,
      homePageUrl: text, statusPageUrl: text, healthCheckUrl: text, metadata: { zone: text, version: text, [text.slice(0, 100)]: text, long: text.repeat(10_000 / text.length) } }));
  }
  const page = await tab(origin, { viewport: { width: 390, height: 844 } });
  const links = async () => page.$$eval('a', (links) => links.map((link) => link.href));
  await step('strings of people who mean harm', async () => {
    for (const path of ['/', '/instances', '/lastn']) {
      await page.goto(origin + path);
      check(`${path}: no link but ours`, (await links()).every((link) => link.startsWith(origin)));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      check(`${path}: long strings do not stick out`, wide <= 0, `${wide} px`);
    }
    await page.goto(`${origin}/instances`);
    const pages = await page.$$eval('table.instances a[href*="instance?"]', (links) => links.map((link) => link.href));
    check('each has a page', pages.length === strings.length, String(pages.length));
    for (const address of pages) {
      await page.goto(address);
      await page.getByRole('heading', { name: 'Metadata' }).waitFor();
      check('no link but ours', (await links()).every((link) => link.startsWith(origin)));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      check(`${address.slice(0, 80)}: does not stick out`, wide <= 0, `${wide} px`);
    }
    check('no script but ours', await page.evaluate(() => document.scripts.length) === 1);
  });
  await shot(page, 'hostile');
  await done(page, 'strings of people who mean harm');
}

async function roles() {
  const user = (name, role) => [`--eureka.server.security.users.${name}.password=pw`, `--eureka.server.security.users.${name}.roles=${role}`];
  const origin = await start(...user('reader', 'read'), ...user('boss', 'admin'));
  await step('nobody sees anything without a password', async () => {
    check('401', await ask(`${origin}/`) === 401);
    check('401 for events', await ask(`${origin}/live`) === 401);
  });
  const authorization = `Basic ${Buffer.from('boss:pw').toString('base64')}`;
  await register(origin, record('SHOP', 'shop-1'), { authorization });
  const own = `${origin}/instance?app=SHOP&id=shop-1`;
  for (const name of ['reader', 'boss']) {
    const page = await tab(origin, { httpCredentials: { username: name, password: 'pw' } });
    await step(`${name} sees the page`, async () => {
      await page.goto(`${origin}/`);
      await page.getByRole('heading', { name: 'System Status' }).waitFor();
      await page.waitForFunction(() => document.getElementById('live').textContent === 'live');
    });
    if (name === 'reader') {
      await step('who may only read is offered nothing, and gets nothing', async () => {
        await page.goto(own);
        await page.getByText('The instance says so itself.').waitFor();
        check('no button', await page.locator('a[href*="act?"]').count() === 0);
        const answer = await page.goto(`${origin}/act?do=remove&app=SHOP&id=shop-1`);
        check('403', answer.status() === 403, String(answer.status()));
      });
    } else {
      await step('an override with a reason and an end, and back', async () => {
        await page.goto(own);
        await page.getByRole('link', { name: 'Override the status' }).click();
        await page.getByRole('button', { name: 'Override the status' }).click();
        check('nothing is done without a reason', await page.evaluate(() => document.querySelector(':invalid[name=reason]') !== null));
        await page.getByLabel('Ends').selectOption('60');
        await page.getByLabel('Reason').fill('<b>maintenance</b>');
        await accessible(page, 'form');
        await shot(page, 'act');
        await page.getByRole('button', { name: 'Override the status' }).click();
        await page.getByText('OUT_OF_SERVICE is ordered from now on.').waitFor();
        await page.getByRole('link', { name: 'See how it stands' }).click();
        await page.getByText(/orders OUT_OF_SERVICE until .* by boss \(<b>maintenance<\/b>\)/).waitFor();
        await page.getByText(/override ordered, UP → OUT_OF_SERVICE/).waitFor();
        await accessible(page, 'instance with events');
        await shot(page, 'events');
        await page.getByRole('link', { name: 'Take the override back' }).click();
        await page.getByLabel('Reason').fill('over');
        await page.getByRole('button', { name: 'Take the override back' }).click();
        await page.getByText('The override is taken back.').waitFor();
      });
      await step('remove an instance, and read afterwards what became of it', async () => {
        await page.goto(own);
        await page.getByRole('link', { name: 'Remove the instance' }).click();
        await page.getByLabel('Reason').fill('gone for good');
        await page.getByRole('button', { name: 'Remove the instance' }).click();
        await page.getByText('It is removed.').waitFor();
        await page.getByRole('link', { name: 'See how it stands' }).click();
        await page.getByText('No such instance is registered here.').waitFor();
        await page.getByText('gone for good').waitFor();
      });
    }
    // What the browser says of answers that were wanted here.
    page.complaints = page.complaints.filter((complaint) => !/ 40[134] /.test(complaint));
    await done(page, name);
  }
}

let result = 1;
try {
  const origin = await tenThousand();
  await looks(origin);
  await behindAProxy(origin);
  await hostile();
  await roles();
  result = failed === 0 ? 0 : 1;
} catch (error) {
  failed += 1;
  console.log(`FAIL ${error.stack}`);
} finally {
  for (const end of ends.reverse()) await end();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(result);
