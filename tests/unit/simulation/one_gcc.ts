/** A small scenario with one GCC flow and two cells, which differ in their capacity. */
export const ONE_GCC = {
  ccscope_scenario: 1,
  id: 'one-gcc',
  title: 'One GCC flow',
  description: 'A video call alone on a link, at two capacities.',
  paper: 'ToN',
  duration_s: 30,
  forward: {
    capacity: '1mbps',
    queue: 'droptail:350ms',
    bottleneck: 'token-bucket',
    one_way_delay_ms: 25,
  },
  flows: [{ kind: 'media', name: 'gcc' }],
  windows: [{ name: 'late', begin_s: 10, end_s: 30 }],
  axes: [
    {
      name: 'capacity',
      values: [
        { name: '500kbps', set: { 'forward.capacity': '500kbps' } },
        { name: '1mbps', set: { 'forward.capacity': '1mbps' } },
      ],
    },
  ],
  expectations: [
    {
      metric: 'utilisation',
      window: 'late',
      published: 0.9,
      where: 'V-A',
      read: 'text',
      band: [0.85, 0.95],
      why: 'five points around the statement',
    },
  ],
} as const;
