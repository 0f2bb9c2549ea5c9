// The first screen: signs an admin in, and loads the rest of the page afterwards.

import { endings, request, session, settings } from './api.js';

const field = (id) => document.getElementById(id);
let app;

/** Shows the form, with a sentence about why it is there. */
const showForm = (notice = '') => {
  for (const dialog of document.querySelectorAll('dialog')) dialog.remove();
  app?.stop();
  field('app').hidden = true;
  field('gate').hidden = false;
  field('sign-in').hidden = !settings.hasAdmins;
  field('set-up').hidden = settings.hasAdmins;
  field('gate-notice').textContent = notice;
  field('gate-problem').hidden = true;
  document.title = 'Sign in – Humon admin';
  if (settings.hasAdmins) field('sign-in').elements.name.focus();
};

/** Loads the page of a signed-in admin. */
const start = async () => {
  try {
    app ??= await import('./app.js');
  } catch {
    return showForm('The page can’t be loaded. Check that the server is running.');
  }
  field('gate').hidden = true;
  field('app').hidden = false;
  return app.start(field('app'));
};

const submit = async (event) => {
  event.preventDefault();
  const form = field('sign-in');
  const { name, password } = form.elements;
  const button = form.querySelector('button');
  if (button.disabled) return;
  button.disabled = true;
  field('gate-problem').hidden = true;
  try {
    const credentials = { name: name.value, password: password.value };
    const { body } = await request('POST', '/sessions', { body: credentials });
    session.begin(body);
    password.value = '';
    await start();
  } catch (error) {
    field('gate-problem').textContent = error.message;
    field('gate-problem').hidden = false;
    password.select();
  } finally {
    button.disabled = false;
  }
};

field('sign-in').addEventListener('submit', submit);
field('reload').addEventListener('click', () => location.reload());
endings.addEventListener('ended', ({ detail }) => showForm(detail));
if (session.current) start();
else showForm();
