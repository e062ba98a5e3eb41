// Last of the texts that make up runtime/embedder.js.

self.fetch = () => Promise.reject(new TypeError("this worker has all it needs"));
serve(self, new Handlers(), () => false);
