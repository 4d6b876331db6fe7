/** The names of metrics in reports. */

/** A metric, and the flow, window and path that it measures. */
export interface MetricOf {
  name: string;
  flow?: string | undefined;
  window?: string | undefined;
  path?: string | undefined;
}

/**
 * The metric, such as `probe queue delay p95, gcc, window late`. Flow, window and path follow if they are
 * given, except the window `run`.
 */
export function metricName({ name, flow, window, path }: MetricOf): string {
  const what = name.replace(/_(bps|ms|s)$/, '').replaceAll('_', ' ');
  const about = [
    ...(flow === undefined ? [] : [flow === '*' ? 'all flows' : flow]),
    ...(window === undefined || window === 'run' ? [] : [`window ${window}`]),
    ...(path === undefined ? [] : [path]),
  ];
  return [what, ...about].join(', ');
}
