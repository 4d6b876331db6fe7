/** What the server of this page says of itself (W3C Server Timing); static hosts say nothing. */
export function hasMetric(metric: string): boolean {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  // Some browsers have none in pages that came without encryption.
  const timings = page?.serverTiming;
  return timings?.some(({ name }) => name === metric) ?? false;
}
