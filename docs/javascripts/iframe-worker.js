// Lets the search work in pages that are opened from a disk, where browsers start no workers: the script of a worker
// runs in a hidden frame of the page instead. The theme would load such a script from the web.
"use strict";

if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "Search";
      document.body.append(frame);
      this.inner = frame.contentWindow;
      this.inner.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }));
      const run = address => new Promise((done, failed) => {
        const script = frame.contentDocument.createElement("script");
        Object.assign(script, { src: address, onload: done, onerror: failed });
        frame.contentDocument.body.append(script);
      });
      this.inner.importScripts = (...addresses) => addresses.reduce(
        (before, address) => before.then(() => run(new URL(address, url))), Promise.resolve());
      this.ready = run(url);
    }

    postMessage(data) {
      const inner = this.inner;
      this.ready.then(() => inner.dispatchEvent(new inner.MessageEvent("message", { data })));
    }
  };
}
