/** Checks the extension's manifests against the stores' rules, and against what the README promises. */
import { expect, test } from 'vitest';

import { BROWSERS, manifestFor } from '../../../scripts/extension/manifest.mjs';
import { scriptsOf, siteName, siteOf } from '../../../src/extension/sites.js';

const [chrome, firefox] = BROWSERS.map((browser) => manifestFor(browser, '1.2.3'));

test.each(BROWSERS)('%s: no site without a question, nothing remote', (browser) => {
  const manifest = manifestFor(browser, '1.2.3');
  expect(manifest).not.toHaveProperty('host_permissions');
  expect(manifest).not.toHaveProperty('content_scripts');
  expect(manifest).not.toHaveProperty('externally_connectable');
  expect(manifest).not.toHaveProperty('web_accessible_resources');
  const extra = browser === 'chrome' ? ['sidePanel'] : [];
  expect(manifest['permissions']).toEqual(['activeTab', 'scripting', ...extra]);
  const { extension_pages: policy } = manifest['content_security_policy'] as { extension_pages: string };
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval';");
  expect(policy, 'which default-src does not bind').toContain("form-action 'none'");
  expect(policy, 'default-src holds: nothing can be sent').not.toMatch(/connect-src|frame-src|https?:|\*/);
});

test.each(BROWSERS)('%s: lengths and version as the stores ask', (browser) => {
  const { name, description, version, manifest_version } = manifestFor(browser, '1.2.3');
  expect(manifest_version).toBe(3);
  expect(String(name).length).toBeLessThanOrEqual(45);
  expect(String(description).length).toBeLessThanOrEqual(132);
  expect(version).toMatch(/^\d{1,5}(\.\d{1,5}){0,3}$/);
});

test('each browser has its own background and place for panels', () => {
  expect(chrome).toMatchObject({ background: { service_worker: 'background.js' } });
  expect(chrome).not.toHaveProperty('browser_specific_settings');
  expect(firefox).toMatchObject({
    background: { scripts: ['background.js'] },
    sidebar_action: { default_panel: 'panel.html' },
    browser_specific_settings: { gecko: { data_collection_permissions: { required: ['none'] } } },
  });
  expect(firefox?.['background']).not.toHaveProperty('service_worker');
});

test('a site is a scheme and a host', () => {
  expect(siteOf('https://meet.example.com:8443/room?x#y')).toBe('https://meet.example.com/*');
  expect(siteOf('http://[::1]:80/')).toBe('http://[::1]/*');
  expect(siteName('https://example.com/*')).toBe('https://example.com');
  for (const none of [
    undefined,
    '',
    'example.com',
    'about:blank',
    'null',
    'chrome://extensions/',
    'file:///etc/passwd',
    'data:text/html,x',
    'https://*/*',
  ])
    expect(siteOf(none), none).toBeNull();
});

test('its scripts run before all others, in all frames, the observer in the world of the page', () => {
  const [bridge, page] = scriptsOf('https://example.com/*');
  for (const script of [bridge, page])
    expect(script).toMatchObject({
      matches: ['https://example.com/*'],
      runAt: 'document_start',
      allFrames: true,
    });
  expect(bridge).toMatchObject({ js: ['bridge.js'], world: 'ISOLATED' });
  expect(page).toMatchObject({ js: ['page.js'], world: 'MAIN' });
});
