import { silentFor } from '../harness/database.ts';
import { Delegate, registerAll } from '../harness/delegate.ts';
import { Delegates } from '../harness/pages.ts';
import { expect, test } from '../harness/test.ts';

const MINUTE = 60_000;

test('what is lost leads to its questions, and each answer to the next', async ({ page, keys, shown }) => {
  const delegates = new Delegates(page);
  await keys.open(shown.account.page('', 'search=core-lost'));
  await keys.press(delegates.group('core-lost').getByRole('link', { name: 'Troubleshoot core-lost' }));
  await expect(page).toHaveURL(`${shown.account.groupPage('_core_lost')}/troubleshoot`);
  const known = page.getByRole('region', { name: 'What we already know' });
  await expect(known).toContainText('Not connected, 0 of 1');
  await expect(known).toContainText(shown.versions.unsupported);
  await expect(known).toContainText('edge, active');
  await expect(page.getByRole('heading', { level: 2, name: 'Is the pod there?' })).toBeVisible();
  await expect(page.getByText('kubectl describe pods --namespace=harness-delegate-ng --selector=harness.io/name=core-lost')).toBeVisible();
  await keys.sound();
  await keys.awake();
  await keys.press(page.getByRole('link', { name: 'Running', exact: true }));
  await expect(page).toHaveURL(/step=log&via=pod$/);
  await keys.press(page.getByRole('link', { name: 'Certificate, PKIX, x509, handshake' }));
  await expect(page.getByRole('heading', { level: 2, name: 'The certificate is not trusted' })).toBeVisible();
  await keys.sound();
  await keys.press(page.getByText('Report for somebody else'));
  await expect(page.getByRole('textbox', { name: /^What is known/ })).toHaveValue(/Step 3: The certificate is not trusted/);
  await keys.press(page.getByRole('link', { name: 'Help: Certificates' }));
  await expect(page.getByRole('heading', { level: 1, name: 'Certificates' })).toBeVisible();
  await page.goBack();
  await keys.press(page.getByRole('link', { name: 'Back', exact: true }));
  await expect(page).toHaveURL(/step=log&via=pod$/);
});

test('the report is copied with one press', async ({ page, keys, scripts, shown, context }) => {
  await keys.open(`${shown.account.groupPage('_core_lost')}/troubleshoot?step=seen&via=pod.log`);
  await keys.press(page.getByText('Report for somebody else'));
  const copy = page.getByRole('button', { name: 'Copy report' });
  await expect(copy).toBeVisible({ visible: scripts });
  if (scripts) {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await keys.press(copy);
    await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('Delegate: core-lost');
  }
});

test('it waits, and says so when the delegate comes back', async ({ page, keys, scripts, account, versions }) => {
  const [edge] = await registerAll(account, [{ name: 'edge', version: versions.latest }]);
  await account.server.rewrite(silentFor(11 * MINUTE, account.name, "host_name LIKE 'edge-%'"));
  await keys.open(`${account.groupPage('_edge')}/troubleshoot?step=done`);
  const waiting = page.getByRole('status').filter({ hasText: 'As of' });
  await expect(waiting).toContainText('Waiting for it to come back.');
  await edge?.register();
  if (scripts) {
    await expect(waiting).toContainText('Its heartbeats arrive: all is well.');
  } else {
    await expect(async () => {
      await page.getByRole('link', { name: 'Look again' }).click();
      await expect(waiting).toContainText('Its heartbeats arrive: all is well.', { timeout: 1_000 });
    }).toPass();
  }
});

test('calls with a token that is not known are seen, without anything secret', async ({ page, keys, account, versions }) => {
  const [edge] = await registerAll(account, [{ name: 'edge', version: versions.latest }]);
  const stranger = new Delegate(account, { name: 'stranger' }, { ...account.token(), hex: '0'.repeat(32) });
  expect((await stranger.refused()).status).toBe(401);
  expect(edge?.id).not.toBe('');
  await keys.open(`${account.groupPage('_edge')}/troubleshoot?step=seen`);
  const last = page.getByRole('table', { name: 'Calls that were turned away' }).getByRole('row').last();
  // Another node than the one that turned the call away knows of it with the next flush.
  await expect(async () => {
    await page.reload();
    await expect(last).toContainText('INVALID_TOKEN', { timeout: 1_000 });
  }).toPass();
  await expect(last).toContainText('127.0.0.1');
  await keys.sound();
});

test('a delegate that never appeared has a troubleshooter from the empty list', async ({ page, keys, scripts, account, versions }) => {
  await keys.open(account.page());
  await keys.press(page.getByRole('link', { name: 'Troubleshoot', exact: true }));
  await expect(page.getByRole('heading', { level: 1, name: 'A delegate does not appear' })).toBeVisible();
  await keys.press(page.getByRole('link', { name: 'ECS and Fargate' }));
  await expect(page).toHaveURL(`${account.path('troubleshoot')}?type=ecs`);
  await keys.press(page.getByRole('link', { name: 'The task does not start or stops at once' }));
  await expect(page.getByText(/stoppedReason/).first()).toBeVisible();
  await keys.sound();
  await keys.awake();
  const waiting = page.getByRole('status').filter({ hasText: 'As of' });
  await expect(waiting).toContainText('Waiting for the first heartbeat.');
  await registerAll(account, [{ name: 'edge', version: versions.latest }]);
  if (!scripts) await expect.poll(async () => { await page.reload(); return waiting.innerText(); }).toContain('edge');
  await expect(waiting.getByRole('link', { name: 'edge' })).toBeVisible();
});

test('common problems stand on the other tab', async ({ page, keys, shown }) => {
  await keys.open(`${shown.account.groupPage('_core_behind')}/troubleshoot`);
  await expect(page.getByRole('heading', { level: 2, name: 'Does the container run?' })).toBeVisible();
  await keys.press(page.getByRole('link', { name: 'Common problems' }));
  await expect(page.getByRole('heading', { level: 2, name: 'The version is expired, and something fails' })).toBeVisible();
  await keys.sound();
});

test('the menu of a row offers it for Kubernetes types alone', async ({ page, keys, shown }) => {
  const delegates = new Delegates(page);
  const item = page.getByRole('menuitem', { name: 'Open troubleshooter' }).filter({ visible: true });
  for (const [name, offered] of [['core-helm', 1], ['Odd_Name', 1], ['core-behind', 0], ['core-near', 0]] as const) {
    await keys.open(shown.account.page('', `search=${name}`));
    await keys.press(delegates.group(name).getByRole('button', { name: `Actions for ${name}` }));
    await expect(page.getByRole('menuitem', { name: 'Details' }).filter({ visible: true })).toBeVisible();
    await expect(item).toHaveCount(offered);
  }
});
