// Runs in pages before their own scripts. Each frame that is sent carries its number within its layer and its send
// time. `window.timedFrames()` resolves with a row for each frame that was received since the previous call.
(() => {
  const inWorker = () => {
    const TRAILER_BYTES = 24;
    const rows = [];
    const numbers = new Map();
    const nowMs = () => performance.timeOrigin + performance.now();

    function send(frame) {
      const { synchronizationSource: layer } = frame.getMetadata();
      const number = numbers.get(layer) ?? 0;
      numbers.set(layer, number + 1);
      const bytes = new Uint8Array(frame.data.byteLength + TRAILER_BYTES);
      bytes.set(new Uint8Array(frame.data));
      const trailer = new DataView(bytes.buffer, frame.data.byteLength);
      [layer, number, nowMs()].forEach((value, i) => trailer.setFloat64(8 * i, value));
      frame.data = bytes.buffer;
    }

    function receive(frame) {
      const end = frame.data.byteLength - TRAILER_BYTES;
      const trailer = new DataView(frame.data, end);
      const [layer, number, sentMs] = [0, 8, 16].map((at) => trailer.getFloat64(at));
      const { receiveTime, rtpTimestamp, spatialIndex = 0 } = frame.getMetadata();
      const receivedMs = performance.timeOrigin + receiveTime;
      const keyFrame = frame.type === 'key';
      rows.push({ layer, number, sentMs, receivedMs, rtpTimestamp, spatialIndex, sizeBytes: end, keyFrame });
      frame.data = frame.data.slice(0, end);
    }

    onmessage = ({ ports: [port] }) => port.postMessage(rows.splice(0));
    onrtctransform = ({ transformer: { readable, writable, options } }) => {
      const handle = options.sends ? send : receive;
      const transform = new TransformStream({
        transform(frame, controller) {
          handle(frame);
          controller.enqueue(frame);
        },
      });
      void readable.pipeThrough(transform).pipeTo(writable);
    };
  };
  const source = new Blob([`(${inWorker})()`], { type: 'text/javascript' });
  const worker = new Worker(URL.createObjectURL(source));
  const { prototype } = RTCPeerConnection;
  const { addTransceiver } = prototype;
  prototype.addTransceiver = function (...args) {
    const transceiver = addTransceiver.apply(this, args);
    transceiver.sender.transform = new RTCRtpScriptTransform(worker, { sends: true });
    return transceiver;
  };
  window.RTCPeerConnection = class extends RTCPeerConnection {
    constructor(configuration) {
      super(configuration);
      this.addEventListener('track', ({ receiver }) => {
        receiver.transform = new RTCRtpScriptTransform(worker, { sends: false });
      });
    }
  };
  window.timedFrames = () =>
    new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => resolve(data);
      worker.postMessage(null, [port2]);
    });
})();
