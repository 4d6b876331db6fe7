/** Whether this page's server sent a metric of that name (W3C Server Timing); static hosts send none. */
export function hasMetric(metric: string): boolean {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  // Some browsers give no server timing to pages that came without encryption.
  const timings = page?.serverTiming;
  return timings?.some(({ name }) => name === metric) ?? false;
}
