// Instances of the program: WebAssembly that is leased to one piece of work at a time.
// Two requests never share one, because a goroutine of the one that wakes in the other's
// turn would do its work there, and the platform ends such work.
import "./wasm_exec.js";
import program from "./app.wasm";

const LEASES = 200; // after which an instance goes: what it keeps of JavaScript grows
const IDLE = 12; // kept for the next request
const idle = [];

// A build by TinyGo asks for these where its time zones are compiled in.
const noFiles = { fd_prestat_get: () => 8, fd_prestat_dir_name: () => 8, path_open: () => 44, fd_read: () => 8, fd_close: () => 8, fd_seek: () => 8, path_filestat_get: () => 44, fd_fdstat_get: () => 8 };

// forgetting has Go give back what it holds of JavaScript. TinyGo 0.36 has no more than a line
// on stderr for it, at every text that passes.
function forgetting(go) {
  return (ref) => {
    const id = ref & 0xffffffffn;
    if (--go._goRefCounts[id] !== 0) return;
    go._ids.delete(go._values[id]);
    go._values[id] = null;
    go._idPool.push(id);
  };
}

class Instance {
  uses = 0;
  broken = false;
  #fail = () => {};

  constructor() {
    const go = new globalThis.Go();
    if (go.importObject.wasi_snapshot_preview1) {
      go.importObject.wasi_snapshot_preview1 = { ...noFiles, ...go.importObject.wasi_snapshot_preview1 };
      go.importObject.gojs["syscall/js.finalizeRef"] = forgetting(go);
    }
    // A trap behind an await comes out here, and not in the caller's promise.
    const resume = go._resume.bind(go);
    go._resume = () => {
      try {
        return resume();
      } catch (trap) {
        this.#end(trap);
      }
    };
    globalThis.pledgeworks = (exports) => (this.exports = exports);
    go.run(new WebAssembly.Instance(program, go.importObject)).then(() => this.#end(new Error("the program has ended")), (trap) => this.#end(trap));
    delete globalThis.pledgeworks;
    if (!this.exports) throw new Error("the program does not start");
  }

  #end(why) {
    this.broken = true;
    this.#fail(why);
  }

  run(platform, op, input) {
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      this.exports.run(platform, op, JSON.stringify(input), (failure, answer) => (failure === null ? resolve(JSON.parse(answer)) : reject(new Error(failure))));
    });
  }
}

function take() {
  return idle.pop() ?? new Instance();
}

function giveBack(instance) {
  if (!instance.broken && ++instance.uses < LEASES && idle.length < IDLE) idle.push(instance);
}

// run has one piece of work done, and drops an instance whose work has failed.
export async function run(platform, op, input) {
  const instance = take();
  const answer = await instance.run(platform, op, input);
  giveBack(instance);
  return answer;
}

// act has an object's command carried out: it waits for nothing, so that nothing comes
// in between.
export function act(storage, message) {
  const instance = take();
  const [answer, keep] = instance.exports.act(storage, message);
  giveBack(instance);
  return { answer, keep };
}
