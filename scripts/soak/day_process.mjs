// The simulated day, in a process of its own: it replaces the clock that everything in the process
// reads.
import { simulatedDay } from './day.mjs';

const counts = await simulatedDay({
  hours: Number(process.argv[2]),
  sample: (sample) => process.send({ sample }),
});
process.send({ counts });
process.disconnect();
