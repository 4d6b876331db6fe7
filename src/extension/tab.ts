/** Which tab a panel is for. */

/** Resolves with the tab's id, and calls `changed` when the panel should be for another one. */
export async function findTab(changed: () => void): Promise<number | null> {
  // In DevTools it is the inspected one. Typed as always there, it is missing everywhere else.
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
