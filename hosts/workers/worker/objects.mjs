// The Durable Object classes. Each object stores its state in SQLite and executes each command in
// one transaction.
import { DurableObject } from 'cloudflare:workers';
import { act } from './instance.mjs';

class StoredObject extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    const { sql } = ctx.storage;
    sql.exec('CREATE TABLE IF NOT EXISTS state (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID');
    const first = (cursor) => cursor.toArray()[0]?.value;
    this.storage = {
      get: (key) => first(sql.exec('SELECT value FROM state WHERE key = ?', key)),
      put: (key, value) =>
        void sql.exec(
          'INSERT INTO state (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
          key,
          value,
        ),
      delete: (key) => void sql.exec('DELETE FROM state WHERE key = ?', key),
      list: (from, after, limit) =>
        [
          ...sql
            .exec('SELECT key, value FROM state WHERE key >= ? AND key > ? ORDER BY key LIMIT ?', from, after, limit)
            .raw(),
        ].flat(),
    };
  }

  do(message) {
    let answer;
    const rollback = new Error('rolled back');
    try {
      this.ctx.storage.transactionSync(() => {
        const acted = act(this.storage, message);
        answer = acted.answer;
        if (!acted.keep) throw rollback;
      });
    } catch (e) {
      if (e !== rollback) throw e;
    }
    return answer;
  }
}

export class CheckoutIntents extends StoredObject {}
export class TierInventoryCoordinator extends StoredObject {}
export class SettlementCoordinator extends StoredObject {}
export class Broadcasts extends StoredObject {}
