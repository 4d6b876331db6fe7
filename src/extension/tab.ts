/** The tab that a panel belongs to. */

/**
 * Resolves with the id of the panel's tab, or null if there is no tab. Calls `changed` when the panel should show
 * another tab.
 */
export async function findTab(changed: () => void): Promise<number | null> {
  // In DevTools, the panel's tab is the inspected tab. The types declare `devtools` as always present, but it
  // exists only in DevTools.
  const { devtools } = chrome as { devtools?: typeof chrome.devtools };
  if (devtools?.inspectedWindow !== undefined) return devtools.inspectedWindow.tabId;
  const named = new URLSearchParams(location.search).get('tab');
  if (named !== null) return Number(named);
  // A sidebar belongs to a browser window and shows the window's active tab.
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  chrome.tabs.onActivated.addListener(({ windowId, tabId }) => {
    if (windowId === tab?.windowId && tabId !== tab.id) changed();
  });
  return tab?.id ?? null;
}
