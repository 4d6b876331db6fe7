// Used by the pages that make calls: signalling, and a camera whose video makes the encoder use any bitrate
// that is available.
const query = new URLSearchParams(location.search);
const side = query.get('side') ?? 'a';
const room = query.get('room') ?? 'room';
const other = side === 'a' ? 'b' : 'a';

/**
 * Draws moving blocks of noise. No encoder can compress them well, but at a low quality a frame fits into one or
 * two kilobytes.
 */
function camera({ width = 640, height = 360, fps = 30 } = {}) {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width, height });
  const noise = document.createElement('canvas');
  noise.width = 40;
  noise.height = 23;
  const [context, source] = [canvas.getContext('2d'), noise.getContext('2d')];
  const blocks = source.createImageData(40, 23);
  let step = 0;
  setInterval(() => {
    step += 1;
    for (let i = 0; i < blocks.data.length; i += 4) {
      const value = (Math.imul(i + step * 7919, 2654435761) >>> 24) & 255;
      blocks.data[i] = blocks.data[i + 1] = blocks.data[i + 2] = value;
      blocks.data[i + 3] = 255;
    }
    source.putImageData(blocks, 0, 0);
    context.drawImage(noise, 0, 0, width, (height * 46) / 45);
  }, 1000 / fps);
  return canvas.captureStream(fps);
}

// Sends messages one at a time: of two concurrent requests, the later one may arrive first.
let told = Promise.resolve();
const post = (message) => fetch(`/tell/${room}-${other}`, { method: 'POST', body: JSON.stringify(message) });

const signals = {
  tell: (message) => (told = told.then(() => post(message))),
  hear: (listener) => {
    new EventSource(`/hear/${room}-${side}`).onmessage = ({ data }) => listener(JSON.parse(data));
  },
};

function show(stream) {
  const video = document.createElement('video');
  Object.assign(video, { muted: true, autoplay: true, playsInline: true, srcObject: stream });
  document.body.append(video);
  video.play().catch(() => undefined);
}
