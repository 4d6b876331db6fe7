/** The Lab, driven by tests that build a network and change it. */
import type { Page } from '@playwright/test';

import { expect, test as base, type Served } from './support.js';

/** Drives the Lab as a user would. */
class LiveLab {
  constructor(
    readonly page: Page,
    readonly served: Served,
  ) {}

  /** Opens the page, builds a network with one call, and waits until it is simulated. */
  async begin(query = ''): Promise<void> {
    await this.page.goto(`${this.served.staticUrl}lab.html${query}`);
    await this.page.getByRole('button', { name: 'Build a network of your own' }).click();
    await expect(this.fact('Scenario')).toHaveText('my-network');
    await this.done();
  }

  /** Waits until the run with the current settings is drawn. */
  async done(): Promise<void> {
    await expect(this.page.getByRole('status').first()).toHaveText('Done');
    await expect(this.page.getByRole('region', { name: 'Results' })).toHaveAttribute('aria-busy', 'false');
  }

  fact(name: string) {
    return this.page.locator('.provenance div').filter({ hasText: name }).locator('dd').first();
  }

  glance(name: string) {
    return this.page
      .locator('.summary')
      .getByRole('row', { name: new RegExp(`^${name}`) })
      .locator('.value');
  }

  panel(name: string) {
    return this.page.locator('aside details').filter({ has: this.page.getByText(name, { exact: true }) });
  }

  legend(name: string) {
    return this.page.getByRole('button', { name: new RegExp(`^${name} `) }).first();
  }
}

export const test = base.extend<{ lab: LiveLab }>({
  // Every test fails when the page throws or logs an error.
  lab: async ({ page, served }, use) => {
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await use(new LiveLab(page, served));
    expect(errors).toEqual([]);
  },
});
