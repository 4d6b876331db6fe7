// What the pages under test share: a camera that needs the bitrate it is given, and signals.
const query = new URLSearchParams(location.search);
const side = query.get('side') ?? 'a';
const room = query.get('room') ?? 'room';
const other = side === 'a' ? 'b' : 'a';

/** Noise that moves: no encoder can make it small. */
function camera() {
  const canvas = document.createElement('canvas');
  canvas.width = 640;
  canvas.height = 360;
  const context = canvas.getContext('2d');
  const tile = context.createImageData(160, 90);
  let step = 0;
  setInterval(() => {
    step += 1;
    for (let i = 0; i < tile.data.length; i += 4) {
      const value = (Math.imul(i + step * 7919, 2654435761) >>> 24) & 255;
      tile.data[i] = tile.data[i + 1] = tile.data[i + 2] = value;
      tile.data[i + 3] = 255;
    }
    for (let x = 0; x < 640; x += 160) for (let y = 0; y < 360; y += 90) context.putImageData(tile, x, y);
  }, 33);
  return canvas.captureStream(30);
}

const signals = {
  tell: (message) => fetch(`/tell/${room}-${other}`, { method: 'POST', body: JSON.stringify(message) }),
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
