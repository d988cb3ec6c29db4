// Updates the clock in the demo's bar every ten seconds.
const bar = document.getElementById('demo-bar');
const time = bar.querySelector('time');
const show = async () => {
  try {
    const clock = await (await fetch(`/demo/clock?lang=${bar.lang}`)).json();
    time.dateTime = clock.now;
    if (time.textContent !== clock.text) time.textContent = clock.text;
  } catch {
    time.textContent = bar.dataset.stopped;
  }
};
show();
setInterval(show, 10000);
