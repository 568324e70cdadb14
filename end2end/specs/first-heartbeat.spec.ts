import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { WebSocket } from 'ws';

import { fleet } from '../harness/api.ts';
import { Delegate } from '../harness/delegate.ts';
import { Delegates } from '../harness/pages.ts';
import { ROOT } from '../harness/programs.ts';
import { expect, test } from '../harness/test.ts';
import { recorded } from '../harness/recorded.ts';

/** A recorded body, in the exact bytes of the client. */
function body(name: string): Promise<string> {
  return readFile(join(ROOT, 'fixtures/agent', name), 'utf8');
}

test.describe('The first heartbeat', () => {
  test('a recorded Go client shows Connected on the page and in the JSON', async ({ page, server }) => {
    const { account, authorization } = await recorded(server);
    const delegates = await new Delegates(page).open(account.page());

    const registered = await fetch(`${server.url}//api/agent/delegates/register?accountId=ACC`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: await body('go-register.json'),
    });
    expect(registered.status).toBe(200);
    const { resource } = (await registered.json()) as { resource: { delegateId: string } };
    expect(resource.delegateId).not.toBe('');

    // The page was empty and fills without being loaded again.
    await expect(delegates.group('vm-pool-north')).toContainText('Connected');
    await expect(delegates.group('vm-pool-north')).not.toContainText('Not connected');
    const beat = (await body('go-heartbeat.json')).replace('d-go-0001', resource.delegateId);
    const beaten = await fetch(`${server.url}/api/agent/delegates/heartbeat-with-polling?accountId=ACC`, {
      method: 'POST',
      headers: { authorization },
      body: beat,
    });
    expect(beaten.status).toBe(200);
    const [entry] = (await fleet(account)).delegates.filter(({ name }) => name === 'vm-pool-north');
    expect(entry).toMatchObject({ connected: true, type: 'DOCKER', tags: ['vm-pool-north', 'linux', 'north', 'team-a'] });
    expect(entry?.delegateReplicas).toMatchObject([
      { uuid: resource.delegateId, hostName: 'dlite-build-vm-01', connected: true },
    ]);
  });

  test('a recorded Java client beats over its WebSocket and survives a power cut', async ({ page, server, guard }) => {
    // A balancer answers for nodes that are gone.
    guard.expect(/live|ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|status of 502/);
    const { account, authorization, jwe } = await recorded(server);
    const registered = await fetch(`${server.url}/api/agent/delegates/register?accountId=ACC`, {
      method: 'POST',
      headers: { authorization },
      body: await body('java-register.json'),
    });
    const { resource } = (await registered.json()) as { resource: { delegateId: string } };
    const socket = new WebSocket(
      `${server.url.replace('http', 'ws')}/stream/delegate/ACC?delegateId=${resource.delegateId}&token=${jwe}`,
    );
    await new Promise((open, failed) => socket.once('open', open).once('error', failed));
    const frame = (await body('java-ws-heartbeat.txt')).replace('d-java-0001', resource.delegateId);
    const acknowledged = new Promise<string>((done) => socket.once('message', (data) => done(data.toString())));
    socket.send(frame);
    const expected = (await body('ws-ack.txt')).replace('d-java-0001', resource.delegateId);
    expect((await acknowledged).replace(/\d{13}/, '1700000000123')).toBe(expected);

    const delegates = await new Delegates(page).open(account.page());
    await expect(delegates.group('edge-a')).toContainText('Connected');
    await delegates.group('edge-a').getByRole('button', { name: 'Instances of edge-a' }).click();
    const pod = delegates.instances('edge-a').getByRole('row', { name: 'edge-a-7c9d5b6f4-x2kqp' });
    await expect(pod).toContainText('WebSocket');
    await expect(pod).toContainText('26.09.89620');

    await server.kill();
    socket.terminate();
    await server.start();
    await delegates.open(account.page('', 'search=edge-a'));
    await expect(delegates.group('edge-a')).toContainText('Connected');
    const [entry] = (await fleet(account, '', 'search=edge-a')).delegates;
    expect(entry?.delegateReplicas).toMatchObject([{ uuid: resource.delegateId, connected: true }]);
  });

  test('an instance that said goodbye is gone at once, the others stay', async ({ page, account, versions }) => {
    const pod = (host: string) => ({ name: 'edge', host, version: versions.latest });
    const leaving = await new Delegate(account, pod('edge-6d5c-aaaaa')).register();
    await new Delegate(account, pod('edge-6d5c-bbbbb')).register();
    const delegates = await new Delegates(page).open(account.page());
    await expect(delegates.group('edge')).toContainText('2 of 2');

    await leaving.unregister();
    await expect(delegates.group('edge')).toContainText('1 of 1');
    const [entry] = (await fleet(account)).delegates;
    expect(entry?.delegateReplicas.map(({ hostName }) => hostName)).toEqual(['edge-6d5c-bbbbb']);

    await leaving.beat();
    await expect(delegates.group('edge')).toContainText('2 of 2');
  });
});
