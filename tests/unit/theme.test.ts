/** The pages store the chosen theme under the key that the documentation (made by VitePress) uses. */
import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';

it('the theme is kept under the key of VitePress', async () => {
  const kept = new Map<string, string>();
  vi.stubGlobal('addEventListener', vi.fn());
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: vi.fn() }));
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
  const { rememberTheme } = await import('../../src/app/theme.js');
  rememberTheme('dark');
  const shared = new URL('../../node_modules/vitepress/dist/client/shared.js', import.meta.url);
  const [, key = ''] = /APPEARANCE_KEY = '([^']+)'/.exec(readFileSync(shared, 'utf8')) ?? [];
  expect([...kept]).toEqual([[key, 'dark']]);
  vi.unstubAllGlobals();
});
