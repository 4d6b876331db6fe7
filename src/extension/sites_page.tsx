/**
 * The extension's settings page. It shows the sites for which the extension is on, what it may do there, and what it
 * stores.
 */
import { signal } from '@preact/signals';
import { render } from 'preact';

import type { ToBackground } from './channel.js';
import { siteName, siteOf } from './sites.js';

const sites = signal<readonly string[] | null>(null);

async function read(): Promise<void> {
  const { origins = [] } = await chrome.permissions.getAll();
  sites.value = origins.toSorted();
}

const turnOff = (site: string): void =>
  void chrome.runtime.sendMessage({ kind: 'off', site } satisfies ToBackground);

function SiteList() {
  if (sites.value === null) return null;
  if (sites.value.length === 0) return <p>It is not turned on for any site.</p>;
  return (
    <ul>
      {sites.value.map((site) => (
        <li key={site}>
          <span>{siteName(site)}</span>
          <button type="button" onClick={() => turnOff(site)} aria-label={`Turn off for ${siteName(site)}`}>
            Turn off
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The problem with the typed address; empty if the address is valid. */
const problem = signal('');

/**
 * Browsers ask the user for a permission only in response to a click. Nothing may therefore be awaited before the
 * request.
 */
function turnOn(event: SubmitEvent): void {
  event.preventDefault();
  const form = event.currentTarget as HTMLFormElement;
  const address = form.querySelector('input')?.value ?? '';
  const site = siteOf(address);
  problem.value =
    site === null
      ? `${address}: expected an address that begins with https:// or http://, such as https://example.com`
      : '';
  if (site === null) return;
  void chrome.permissions.request({ origins: [site] });
  form.reset();
}

function SitesPage() {
  return (
    <main class="page">
      <h1>ccscope</h1>
      <p>
        It shows how the congestion control of WebRTC calls behaves, in the side panel and in DevTools. It is
        off everywhere until you click its button in the toolbar.
      </p>
      <h2>Where it is on</h2>
      <SiteList />
      <form onSubmit={turnOn}>
        <label for="address">Turn it on for</label>
        <input id="address" name="address" placeholder="https://example.com" autocomplete="off" />
        <button type="submit">Turn on</button>
      </form>
      {problem.value !== '' && <p role="alert">{problem.value}</p>}
      <h2>What it stores and sends</h2>
      <p>
        Nothing. What a panel shows is in that panel&apos;s memory and is gone when the panel is closed; in
        Firefox&apos;s sidebar also when you go to another tab. A recording becomes a file only when you
        download it. The list above is the browser&apos;s own list of permissions. The extension&apos;s pages
        have a policy with which they cannot connect to anything.
      </p>
      <h2>What it sees</h2>
      <p>
        On sites that are on: the timing and size of received video frames, what <code>getStats</code> counts,
        and the parts of session descriptions that say who talks to whom. Never pictures, sound, messages or
        what you type.
      </p>
      <h2>What it changes</h2>
      <p>
        Nothing by itself. When you press Cap, Hold, Drive, Key frame, a layer or Set in a panel, it changes
        what the page sends, and with a playout delay when the page plays what it receives. Release, turning
        the site off and closing the tab&apos;s last panel take that back.
      </p>
    </main>
  );
}

chrome.permissions.onAdded.addListener(() => void read());
chrome.permissions.onRemoved.addListener(() => void read());
void read();
render(<SitesPage />, document.body);
