import { readFile } from 'node:fs/promises';

import { LESSONS } from '../../src/app/lessons/lessons.js';
import { accessibilityFaults } from '../support/axe.js';
import { expect, test as base } from './support.js';
import type { Page } from '@playwright/test';

/** Drives the page of lessons as a learner would. */
class LessonsPage {
  constructor(
    readonly page: Page,
    readonly url: string,
  ) {}

  async open(query = ''): Promise<void> {
    await this.page.goto(`${this.url}lessons.html${query}`);
  }

  async predict(option: string): Promise<void> {
    await this.page.getByRole('radio', { name: option }).check();
    await this.page.getByRole('button', { name: 'Give this answer' }).click();
  }

  /** Opens the figure of a lesson without a prediction, as a teacher at a projector does. */
  async show(): Promise<void> {
    await this.page.getByRole('button', { name: 'Show without predicting' }).click();
  }

  get figure() {
    return this.page.getByRole('region', { name: 'Figure' });
  }

  async choose(label: string): Promise<void> {
    await this.page.getByRole('group').getByRole('button', { name: label, exact: true }).click();
  }

  readings(choice: string) {
    return this.page.getByRole('table', { name: 'What was tried' }).getByRole('row', { name: choice });
  }

  get task() {
    return this.page.getByRole('region', { name: 'Task' });
  }
}

const test = base.extend<{ lessons: LessonsPage }>({
  // Every test fails when the page throws or logs an error.
  lessons: async ({ page, served }, use) => {
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await use(new LessonsPage(page, served.staticUrl));
    expect(errors).toEqual([]);
  },
});

test('a lesson from its question to its solved task, and on to the next', async ({ page, lessons }) => {
  await lessons.open();
  await page.getByRole('link', { name: 'Why delay grows before packets are lost' }).click();
  await expect(page.getByRole('heading', { level: 2 })).toHaveText('Why delay grows before packets are lost');
  await expect(lessons.figure).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Give this answer' })).toBeDisabled();
  // Until the answer is given, the learner may change the choice.
  await page.getByRole('radio', { name: 'A growing delay' }).check();
  await expect(page.getByText('You can give only one.')).toBeVisible();
  await expect(lessons.figure).toHaveCount(0);
  await lessons.predict('Lost packets');
  await expect(page.getByText('not so')).toBeVisible();
  await expect(page.getByText('What does not fit waits in the queue')).toBeVisible();
  await expect(page.getByRole('radio', { name: 'A growing delay' })).toBeDisabled();

  await expect(lessons.readings('100 ms')).toBeVisible();
  await expect(page.getByRole('img', { name: /^Delay/ })).toBeVisible();
  await expect(lessons.task).toContainText('Not yet');
  await lessons.choose('1000 ms');
  await expect(lessons.task).toContainText('Solved.');
  await expect(lessons.readings('100 ms')).toBeVisible();
  await expect.poll(() => new URL(page.url()).searchParams.get('choice')).toBe('1000ms');

  await page.getByRole('link', { name: 'One-way delay variation' }).click();
  await expect(page.getByRole('heading', { level: 2 })).toHaveText('One-way delay variation');
  await expect(lessons.figure).toHaveCount(0);
  await page.goBack();
  await expect(page.getByRole('heading', { level: 2 })).toHaveText('Why delay grows before packets are lost');
  await page.getByRole('link', { name: 'All lessons' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: 'Why delay grows' })).toContainText('solved');
  await page.reload();
  await expect(page.getByRole('listitem').filter({ hasText: 'Why delay grows' })).toContainText('solved');
});

test('a link with a choice keeps the answer back until there is a prediction', async ({ page, lessons }) => {
  await lessons.open('?lesson=aqm&choice=codel');
  await expect(page.getByText('The simulation runs when you have given your answer.')).toBeVisible();
  await expect(lessons.figure).toHaveCount(0);
  await lessons.predict('waits less but loses more packets');
  await expect(lessons.readings('CoDel')).toBeVisible();
  await expect(page.getByRole('button', { name: 'CoDel', exact: true })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  // After the answer, the same link opens the figure at once.
  await page.reload();
  await expect(lessons.readings('CoDel')).toBeVisible();
});

test('the figure of a link is shown without a prediction, too, and the task stands beside the choices', async ({
  page,
  lessons,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await lessons.open('?lesson=aqm&choice=codel');
  await lessons.show();
  await expect(lessons.readings('CoDel')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Show without predicting' })).toHaveCount(0);
  await expect(lessons.figure).toBeFocused();
  await expect(page.getByRole('radio').first()).toBeEnabled();
  await page.getByRole('button', { name: 'FQ-CoDel', exact: true }).click();
  await expect(lessons.task).toContainText('Solved.');
  await expect(lessons.task).toBeInViewport({ ratio: 1 });
});

test('a copied link is to the question or to the result, and leaves the theme to whoever opens it', async ({
  page,
  context,
  lessons,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
  const toQuestion = page.getByRole('button', { name: 'Copy a link to this question' });
  const toResult = page.getByRole('button', { name: 'Copy a link to this result' });
  await lessons.open('?lesson=aqm&theme=dark');
  await expect(toResult).toHaveCount(0);
  await toQuestion.click();
  expect(await copied()).toBe(`${lessons.url}lessons.html?lesson=aqm`);
  await lessons.show();
  await lessons.choose('PIE');
  await toQuestion.click();
  expect(await copied()).toBe(`${lessons.url}lessons.html?lesson=aqm&choice=pie`);
  await toResult.click();
  expect(await copied()).toBe(`${lessons.url}lessons.html?lesson=aqm&choice=pie&shown=1`);
});

test('a shared result is shown in a fresh browser, and whoever wants to can try the question', async ({
  page,
  lessons,
}) => {
  await lessons.open('?lesson=adaptive-threshold&choice=static-50&shown=1');
  await expect(page.getByText('You opened a shared result: Threshold γ: fixed at 50 ms')).toBeVisible();
  await expect(lessons.readings('fixed at 50 ms')).toBeVisible();
  await expect(page.getByRole('radio')).toHaveCount(0);
  expect(await accessibilityFaults(page)).toEqual([]);
  // Until the learner returns to the question, the address contains `shown=1`. So a reload shows the result
  // again.
  await page.reload();
  await expect(lessons.readings('fixed at 50 ms')).toBeVisible();
  await page.getByRole('button', { name: 'Try the question yourself' }).click();
  await expect(page.getByRole('group', { name: 'Your prediction' })).toBeFocused();
  await expect(lessons.figure).toHaveCount(0);
  await expect.poll(() => new URL(page.url()).searchParams.has('shown')).toBe(false);
  await lessons.predict('The call gets less and less');
  await expect(lessons.readings('fixed at 50 ms')).toBeVisible();
  // Other lessons still begin with a question.
  await lessons.open('?lesson=aqm&shown=1');
  await expect(lessons.readings('drop-tail, 300 ms')).toBeVisible();
  await page.getByRole('link', { name: 'Packet grouping on Wi-Fi' }).click();
  await expect(page.getByRole('radio').first()).toBeEnabled();
  await expect(lessons.figure).toHaveCount(0);
});

test('files of a chart say which choice was run', async ({ page, lessons }) => {
  await lessons.open('?lesson=adaptive-threshold&choice=static&shown=1');
  await expect(lessons.readings('fixed at 10 ms')).toBeVisible();
  const save = async (kind: string) => {
    const button = page.getByRole('button', { name: `${kind} of Rates` });
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    return download;
  };
  expect((await save('CSV')).suggestedFilename()).toBe('ccscope-rates-threshold-γ-fixed-at-10-ms.csv');
  const svg = await save('SVG');
  expect(await readFile(await svg.path(), 'utf8')).toContain(
    'Rates – Why TCP starves a call: static versus adaptive threshold (Threshold γ: fixed at 10 ms)',
  );
  await lessons.choose('adaptive');
  await expect(lessons.readings('adaptive')).toBeVisible();
  expect((await save('PNG')).suggestedFilename()).toBe('ccscope-rates-threshold-γ-adaptive.png');
});

for (const { id, load } of LESSONS) {
  test(`${id}: the charts stay where they are when the task is solved`, async ({ page, lessons }) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    const { prediction, scenario, task } = (await load()).default;
    const solution = scenario.axes[0].values.find(({ name }) => name === task.solution);
    await lessons.open(`?lesson=${id}`);
    await page.getByRole('radio').nth(prediction.right).check();
    await page.getByRole('button', { name: 'Give this answer' }).click();
    await expect(lessons.task).toContainText('Not yet');
    const chart = page.locator('figure.chart.rates');
    const top = (): Promise<number> =>
      chart.evaluate((figure) => figure.getBoundingClientRect().top + scrollY);
    const before = await top();
    await lessons.choose(solution?.label ?? '');
    await expect(lessons.task).toContainText('Solved.');
    expect(await top()).toBe(before);
  });
}

test('the chosen theme stays for pages that are opened by a bare address', async ({ page, lessons }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await lessons.open();
  await page.getByRole('button', { name: 'Dark theme' }).click();
  const html = page.locator('html');
  for (const file of ['lab.html', 'papers.html', '', 'lessons.html']) {
    await page.goto(`${lessons.url}${file}`);
    await expect(html).toHaveAttribute('data-theme', 'dark');
  }
  await lessons.open('?theme=light');
  await expect(html).toHaveAttribute('data-theme', 'light');
  // If the user chooses the theme that the system has, the page follows the system again.
  await lessons.open();
  await page.getByRole('button', { name: 'Light theme' }).click();
  await expect(html).toHaveAttribute('data-theme', 'light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(html).toHaveAttribute('data-theme', 'dark');
  await page.reload();
  await expect(html).toHaveAttribute('data-theme', 'dark');
});

test('a task that was solved before the prediction counts once there is one', async ({ page, lessons }) => {
  await lessons.open('?lesson=aqm&choice=codel');
  await lessons.show();
  await lessons.choose('FQ-CoDel');
  await expect(lessons.task).toContainText('make your prediction above');
  await lessons.predict('waits less but loses more packets');
  await expect(lessons.task).not.toContainText('make your prediction above');
  await page.getByRole('link', { name: 'All lessons' }).click();
  const listed = page.getByRole('listitem').filter({ has: page.locator('a[href*="lesson=aqm"]') });
  await expect(listed).toContainText('solved');
});

test('answers in two tabs are kept together', async ({ page, lessons, context }) => {
  const [first, second] = LESSONS;
  const other = await context.newPage();
  await lessons.open(`?lesson=${first?.id}`);
  await other.goto(`${lessons.url}lessons.html?lesson=${second?.id}`);
  for (const tab of [page, other]) {
    await tab.getByRole('radio').first().check();
    await tab.getByRole('button', { name: 'Give this answer' }).click();
    await expect(tab.getByRole('button', { name: 'Give this answer' })).toHaveCount(0);
  }
  const stored = await page.evaluate(() =>
    Object.keys(JSON.parse(localStorage['ccscope-lessons'] as string) as object),
  );
  expect(stored).toEqual([first?.id, second?.id]);
});

test('the wheel scrolls the page until the charts have the focus', async ({ page, lessons }) => {
  await page.setViewportSize({ width: 1000, height: 500 });
  await lessons.open('?lesson=aqm&choice=codel');
  await lessons.show();
  const shown = page.locator('.window');
  await expect(shown).toContainText('shown');
  const whole = (await shown.textContent()) ?? '';
  const chart = page.getByRole('img', { name: /^Rates/ });
  await chart.hover();
  const before = await page.evaluate(() => scrollY);
  await page.mouse.wheel(0, 60);
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(before);
  await expect(shown).toContainText(whole);
  await chart.hover();
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -200);
  await page.keyboard.up('Control');
  await expect(shown).not.toContainText(whole);
});

test('the newest choice wins', async ({ page, lessons }) => {
  await lessons.open('?lesson=aqm&choice=droptail');
  await lessons.show();
  await lessons.choose('CoDel');
  await lessons.choose('PIE');
  await lessons.choose('FQ-CoDel');
  await expect(lessons.readings('FQ-CoDel')).toHaveClass(/chosen/);
  await expect(page.getByText('Simulating…')).toHaveCount(0);
  await expect(page.getByRole('button', { name: /^All queues/ })).toContainText('ms');
});

test('a run goes on in the Lab, with its choice and its seed', async ({ page, lessons }) => {
  await lessons.open('?lesson=adaptive-threshold&choice=static-50');
  await lessons.show();
  await page.getByRole('link', { name: 'Open this run in the Lab' }).click();
  await expect(page).toHaveURL(/lab\.html\?cell\.choice=static-50&seed=1&run=1#own=/);
  await expect(page.getByRole('checkbox', { name: 'Draw download' })).toBeVisible();
  await page.locator('summary', { hasText: 'Scenario: GCC and one TCP download over 2 Mbps' }).click();
  await expect(page.getByRole('combobox', { name: 'Threshold γ' })).toHaveValue('static-50');
});

for (const { id, title } of LESSONS) {
  test(`${id} is worked by keyboard alone`, async ({ page, lessons }) => {
    await lessons.open(`?lesson=${id}`);
    await expect(page.getByRole('heading', { level: 2 })).toHaveText(title);
    // The arrow keys only change the choice; they must not submit the answer.
    await page.getByRole('radio').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await expect(page.getByRole('radio').first()).toBeChecked();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('table', { name: 'What was tried' }).getByRole('row')).toHaveCount(2);
    // The button that submitted the answer is gone, so the figure has the focus. The figure's choices follow it in the
    // tab order.
    await expect(lessons.figure).toBeFocused();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await expect(page.getByRole('group').getByRole('button', { pressed: false }).first()).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('table', { name: 'What was tried' }).getByRole('row')).toHaveCount(3);
    await expect(page.locator('figure.chart')).not.toHaveCount(0);
  });
}

test('teachers find a plan, every solution, and what learners hand in', async ({ page, lessons }) => {
  await lessons.open('?lesson=rate-controller');
  await lessons.predict('uses less of the link');
  await page.getByRole('link', { name: 'For teachers' }).click();
  await expect(page.getByRole('heading', { name: 'A plan for 45 minutes' })).toBeVisible();
  const solutions = page.getByRole('region', { name: 'Tasks and solutions' });
  await expect(solutions.getByRole('group')).toHaveCount(12);
  // The solutions are collapsed on the screen, and expanded on paper.
  await expect(solutions.locator('details[open]')).toHaveCount(0);
  await page.emulateMedia({ media: 'print' });
  await expect(solutions.locator('details[open]')).toHaveCount(12);
  await page.emulateMedia({ media: null });
  await expect(solutions.locator('details[open]')).toHaveCount(0);
  await page.getByRole('link', { name: 'list of lessons' }).click();
  const save = page.getByRole('button', { name: 'Save my answers' });
  await save.click();
  await expect(page.getByText('Enter your name first.')).toBeVisible();
  await expect(page.getByLabel('Name')).toBeFocused();
  await page.getByLabel('Name').fill('Zoë');
  const [download] = await Promise.all([page.waitForEvent('download'), save.click()]);
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  expect(download.suggestedFilename()).toBe('ccscope-lessons-Zoë.csv');
  await expect(
    page.getByText('Saved as ccscope-lessons-Zoë.csv. Send this file to your teacher.'),
  ).toBeVisible();
  const table = Buffer.concat(chunks).toString();
  expect(table).toMatch(/^\ufeffname,/);
  expect(table).toMatch(
    /\nZoë,6,The states of the rate controller,uses less of the link,yes,no,\d{4}-\d\d-\d\d\r\n/,
  );
  // A single wrong click must not delete the answers.
  await page.getByRole('button', { name: 'Forget my answers' }).click();
  await page.getByRole('button', { name: 'Keep them' }).click();
  await expect(page.getByText(/started in this browser: 1 of 12/)).toBeVisible();
  await page.getByRole('button', { name: 'Forget my answers' }).click();
  await page.getByRole('button', { name: 'Forget them' }).click();
  await expect(page.getByText(/started in this browser: 0 of 12/)).toBeVisible();
  await page.goBack();
  await page.getByRole('link', { name: 'Queue management versus end-to-end control' }).click();
  await expect(lessons.figure).toHaveCount(0);
  await lessons.show();
  await expect(lessons.readings('drop-tail, 300 ms')).toBeVisible();
});

test('a damaged memory and a hostile address leave a page that works', async ({ page, lessons }) => {
  await page.addInitScript(() => localStorage.setItem('ccscope-lessons', '{"aqm":{"predicted":"<img>"}}'));
  await lessons.open('?lesson=%3Cscript%3E&choice=nonsense');
  await expect(page.getByText(/lesson=<script> was not understood/)).toBeVisible();
  await expect(page.getByRole('listitem').filter({ has: page.getByRole('link') })).toHaveCount(12);
  await lessons.open('?lesson=aqm&choice=nonsense');
  await expect(
    page.getByText('choice=nonsense was not understood: expected one of droptail, codel'),
  ).toBeVisible();
  await expect(page.getByRole('heading', { level: 2 })).toHaveText(
    'Queue management versus end-to-end control',
  );
  await lessons.predict('gets everything');
  await expect(lessons.readings('drop-tail, 300 ms')).toBeVisible();
});

for (const theme of ['light', 'dark']) {
  test(`axe finds nothing in the ${theme} theme`, async ({ page, lessons }) => {
    await lessons.open(`?theme=${theme}`);
    await expect(page.getByRole('listitem')).not.toHaveCount(0);
    expect(await accessibilityFaults(page)).toEqual([]);
    await lessons.open(`?theme=${theme}&lesson=delay-before-loss`);
    await lessons.predict('A growing delay');
    await lessons.choose('1000 ms');
    await expect(lessons.task).toContainText('Solved.');
    expect(await accessibilityFaults(page)).toEqual([]);
    await lessons.open(`?theme=${theme}&lesson=teachers`);
    await page.getByText('NADA’s equilibrium').click();
    expect(await accessibilityFaults(page)).toEqual([]);
  });
}
