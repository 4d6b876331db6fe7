/** Whether this page's server sent `metric` (W3C Server Timing). Static hosts send no metrics. */
export function hasMetric(metric: string): boolean {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  // Some browsers report no server timing for pages that were loaded without encryption.
  const timings = page?.serverTiming;
  return timings?.some(({ name }) => name === metric) ?? false;
}
