// Work that takes longer than one invocation may, such as a settlement. There is an object for each
// piece of such work, which runs one step at a time as an alarm.
import { DurableObject } from 'cloudflare:workers';
import { run } from './instance.mjs';
import { platform } from './platform.mjs';

export class Steps extends DurableObject {
  // next schedules an operation of the program to run once the current one has ended.
  async next(op, input) {
    await this.ctx.storage.put('step', { op, input });
    await this.ctx.storage.setAlarm(Date.now());
  }

  // Cloudflare repeats a failed alarm up to six times; after that, the minutely trigger continues.
  async alarm() {
    const { op, input } = await this.ctx.storage.get('step');
    await run(platform(this.env), op, input);
  }
}
