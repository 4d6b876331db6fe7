// Runs the simulated day in a separate process, since the day replaces the clock that all code in the process
// reads.
import { simulatedDay } from './day.mjs';

const counts = await simulatedDay({
  hours: Number(process.argv[2]),
  sample: (sample) => process.send({ sample }),
});
process.send({ counts });
process.disconnect();
