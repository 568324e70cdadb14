import { audited } from '../../harness/access.ts';
import { fleet } from '../../harness/api.ts';
import { Delegate } from '../../harness/delegate.ts';
import { Delegates } from '../../harness/pages.ts';
import { ADMIN, addPerson, become } from '../../harness/people.ts';
import { expect, test } from '../../harness/test.ts';

test('New delegates wait until somebody approves or rejects them', async ({ page, keys, server, account, versions, guard }) => {
  guard.expect(/status of 4\d\d/);
  const delegates = new Delegates(page);
  const notes = page.getByRole('list', { name: 'Notes' });
  const known = await new Delegate(account, { name: 'known', version: versions.latest }).register();

  await keys.open(account.path('settings'));
  const value = page.getByLabel('Value of approval.required');
  await expect(value).toHaveValue('false');
  await keys.choose(value, 'true');
  await keys.press(page.getByRole('button', { name: 'Save approval.required' }));
  await expect(page.getByRole('listitem').filter({ has: value })).toContainText('Set here.');
  await expect(page).toHaveURL(account.path('settings'));
  await expect(value).toHaveValue('true');

  const welcome = await new Delegate(account, { name: 'welcome', version: versions.latest }).register();
  const unwanted = await new Delegate(account, { name: 'unwanted', version: versions.latest }).register();
  await known.beat();
  await keys.open(account.page());
  await expect(delegates.group('welcome')).toContainText('Pending approval');
  await expect(delegates.group('unwanted')).toContainText('Pending approval');
  await expect(delegates.group('known')).not.toContainText('Pending approval');
  await keys.sound();

  // Who may only look sees that it waits, and has no say.
  const viewer = `viewer@${account.name}.test`;
  await addPerson(server, { email: viewer, scope: account.name, role: 'viewer' });
  await become(page, server, viewer);
  await keys.open(account.page());
  await expect(delegates.group('welcome')).toContainText('Pending approval');
  await expect(page.getByRole('button', { name: 'Approve welcome' })).toHaveCount(0);
  await become(page, server, ADMIN);

  await keys.open(account.page());
  await keys.press(page.getByRole('button', { name: 'Approve welcome' }));
  await expect(page.getByRole('button', { name: 'Approve welcome' })).toHaveCount(0);
  await expect(delegates.group('welcome')).not.toContainText('Pending approval');
  await keys.awake();
  await keys.press(page.getByRole('button', { name: 'Reject unwanted' }));
  await expect(delegates.group('unwanted')).toHaveCount(0);
  await expect(delegates.group('welcome')).toContainText('Connected');

  // It is turned away, and stays in sight of whoever may change that.
  await unwanted.refused();
  await welcome.beat();
  await keys.open(account.page());
  await expect(delegates.group('unwanted')).toHaveCount(0);
  await expect(notes).toContainText(/unwanted was rejected and keeps calling/);
  expect((await fleet(account)).delegates.map(({ name }) => name).toSorted()).toEqual(['known', 'welcome']);
  await keys.sound();
  await keys.press(page.getByRole('button', { name: 'Allow unwanted' }));
  await expect(page.getByRole('button', { name: 'Allow unwanted' })).toHaveCount(0);
  await unwanted.register();
  await keys.open(account.page());
  await expect(delegates.group('unwanted')).toContainText('Connected');
  await expect(delegates.group('unwanted')).not.toContainText('Pending approval');

  expect((await audited(page, keys, account, 'setting.change'))[0]).toContain('approval.required was set to true');
  expect((await audited(page, keys, account, 'delegate.approve'))[0]).toContain(`${ADMIN} delegate.approve welcome`);
  expect((await audited(page, keys, account, 'delegate.reject'))[0]).toContain(`${ADMIN} delegate.reject unwanted`);
});
