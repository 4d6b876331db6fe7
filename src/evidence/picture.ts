/** A screenshot of the evidence page, taken by the test's own browser. */
import type { Browser } from 'playwright-core';

const WIDTH = 1180;
const TIMEOUT_MS = 15_000;

/** A PNG of the page, or a sentence that explains why there is none. Never throws, and ends within 15 s. */
export async function picture(html: string, browser: Browser | null): Promise<Buffer | { missing: string }> {
  if (browser === null || !browser.isConnected())
    return { missing: 'No picture: the browser was gone when the test ended.' };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS);
  });
  try {
    return await Promise.race([screenshot(html, browser), late]);
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return { missing: `No picture: the browser could not take it (${reason}).` };
  } finally {
    clearTimeout(timer);
  }
}

async function screenshot(html: string, browser: Browser): Promise<Buffer> {
  // The test's settings for its own contexts must not change how the page looks.
  const context = await browser.newContext({
    viewport: { width: WIDTH, height: 900 },
    deviceScaleFactor: 1,
    colorScheme: 'light',
    javaScriptEnabled: true,
    offline: false,
    bypassCSP: false,
    locale: 'en-US',
  });
  try {
    const page = await context.newPage();
    await page.setContent(html, { waitUntil: 'load', timeout: TIMEOUT_MS });
    await page.evaluate(() => (document.documentElement.dataset['picture'] = ''));
    await page.locator('html[data-drawn]').waitFor({ state: 'attached', timeout: TIMEOUT_MS });
    return await page.screenshot({ fullPage: true, timeout: TIMEOUT_MS });
  } finally {
    await context.close().catch(() => undefined);
  }
}
