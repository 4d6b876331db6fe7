import { expect, test } from 'vitest';

import { nameIn } from '../../../src/embed/sources.js';

test.each([
  ['https://example.org/traces/call.ndjson?v=2', 'call.ndjson'],
  ['https://example.org/caf%C3%A9%20call.ndjson', 'café call.ndjson'],
  ['https://example.org/100%.ndjson', '100%.ndjson'],
  ['https://example.org/', ''],
])('the name of the file at %s', (url, name) => expect(nameIn(url)).toBe(name));
