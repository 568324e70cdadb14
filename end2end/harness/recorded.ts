import { Account } from './account.ts';
import { credential } from './jwe.ts';
import type { Server } from './server.ts';

/** The account and the key of the recorded bodies in `fixtures/agent` (`agent-protocol 1.11`). */
const ACCOUNT = 'ACC';
const KEY = '00112233445566778899aabbccddeeff';

const accounts = new WeakMap<Server, Promise<Account>>();

interface Recorded {
  account: Account;
  /** Value of the header `Authorization`. */
  authorization: string;
  /** The credential in it. */
  jwe: string;
}

/** The account that recorded clients report to, with their token imported by the command line. */
export async function recorded(server: Server): Promise<Recorded> {
  const account = accounts.get(server) ?? Account.imported(server, ACCOUNT, KEY);
  accounts.set(server, account);
  const jwe = credential(KEY, ACCOUNT);
  return { account: await account, authorization: `Delegate ${jwe}`, jwe };
}
