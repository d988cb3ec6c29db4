// A pool of instances of the WebAssembly program. Each instance is leased to one request at a time:
// if two requests shared one, a goroutine of the first could be resumed in the context of the second,
// and Workers cancels such cross-request work.
import './wasm_exec.js';
import program from './app.wasm';

const LEASES = 200; // leases until an instance is discarded, because its table of JavaScript references grows
const IDLE = 12; // maximum number of idle instances
const idle = [];

// WASI functions that TinyGo builds import if they embed the time zone database.
const noFiles = {
  fd_prestat_get: () => 8,
  fd_prestat_dir_name: () => 8,
  path_open: () => 44,
  fd_read: () => 8,
  fd_close: () => 8,
  fd_seek: () => 8,
  path_filestat_get: () => 44,
  fd_fdstat_get: () => 8,
};

// finalizeRef returns an implementation of TinyGo's finalizeRef, which releases JavaScript values.
// TinyGo 0.36 leaves it unimplemented and prints a line to stderr for every string that is passed.
function finalizeRef(go) {
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
      go.importObject.gojs['syscall/js.finalizeRef'] = finalizeRef(go);
    }
    // A trap after an await is thrown here instead of rejecting the caller's promise.
    const resume = go._resume.bind(go);
    go._resume = () => {
      try {
        return resume();
      } catch (trap) {
        this.#end(trap);
      }
    };
    globalThis.pledgeworks = (exports) => (this.exports = exports);
    go.run(new WebAssembly.Instance(program, go.importObject)).then(
      () => this.#end(new Error('the program has ended')),
      (trap) => this.#end(trap),
    );
    delete globalThis.pledgeworks;
    if (!this.exports) throw new Error('the program did not start');
  }

  #end(why) {
    this.broken = true;
    this.#fail(why);
  }

  run(platform, op, input) {
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      this.exports.run(platform, op, JSON.stringify(input), (failure, answer) =>
        failure === null ? resolve(JSON.parse(answer)) : reject(new Error(failure)),
      );
    });
  }
}

function acquire() {
  return idle.pop() ?? new Instance();
}

function release(instance) {
  if (!instance.broken && ++instance.uses < LEASES && idle.length < IDLE) idle.push(instance);
}

// run executes an operation on a leased instance. If it fails, the instance is discarded.
export async function run(platform, op, input) {
  const instance = acquire();
  const answer = await instance.run(platform, op, input);
  release(instance);
  return answer;
}

// act executes a Durable Object's command. It is synchronous, so that no other event of the object
// can interleave.
export function act(storage, message) {
  const instance = acquire();
  const [answer, keep] = instance.exports.act(storage, message);
  release(instance);
  return { answer, keep };
}
