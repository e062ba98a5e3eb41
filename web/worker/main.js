// Last of the texts that make up runtime/worker.js.

serve(self, new Handlers(), (error) => error instanceof DeadPython);
self.addEventListener("unhandledrejection", ({ reason }) => self.postMessage({ type: "dead", reason: String(reason?.message ?? reason) }));
