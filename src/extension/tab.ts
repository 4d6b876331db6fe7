/** The tab that a panel belongs to. */

/** Resolves with the tab's id, and calls `changed` when the panel should show another tab. */
export async function findTab(changed: () => void): Promise<number | null> {
  // In DevTools it is the inspected tab. The types declare it as always present, but it only exists there.
  const { devtools } = chrome as { devtools?: typeof chrome.devtools };
  if (devtools?.inspectedWindow !== undefined) return devtools.inspectedWindow.tabId;
  const named = new URLSearchParams(location.search).get('tab');
  if (named !== null) return Number(named);
  // A sidebar belongs to a window, and follows its active tab.
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  chrome.tabs.onActivated.addListener(({ windowId, tabId }) => {
    if (windowId === tab?.windowId && tabId !== tab.id) changed();
  });
  return tab?.id ?? null;
}
