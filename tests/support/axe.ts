/** Runs axe on a page. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Axe {
  run(
    context: string,
  ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
}

/** The violations that axe finds in the elements that match a selector, one line each. */
export async function accessibilityFaults(page: Page, context = 'body'): Promise<string[]> {
  // While the panel of reasons is out of date, it is dimmed. Axe would report its low contrast.
  await page.locator('.why[aria-busy="true"]').waitFor({ state: 'detached' });
  await page.evaluate(axeSource);
  return page.evaluate(async (selector) => {
    const { axe } = window as unknown as { axe: Axe };
    const { violations } = await axe.run(selector);
    return violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`),
    );
  }, context);
}
