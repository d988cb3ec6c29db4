// A fake Stripe.js. It accepts only the calls that Stripe documents for Checkout Sessions with Elements
// (https://docs.stripe.com/js/custom_checkout), in the documented order. It loads a frame and calls the
// API from Stripe's hosts, so that the page's content security policy applies.
import assert from 'node:assert/strict';

// Runs in the page, in place of https://js.stripe.com/clover/stripe.js.
function standIn(outcomes) {
  const faults = [];
  window.stripeFaults = faults;
  document.addEventListener('securitypolicyviolation', (e) =>
    faults.push(`${e.effectiveDirective} blocks ${e.blockedURI}`),
  );
  const fail = (text) => {
    faults.push(text);
    throw new Error(text);
  };
  const only = (where, options, names) => {
    for (const name of Object.keys(options)) if (!names.includes(name)) fail(`${where} has no option ${name}`);
  };
  const documented = (where, members) =>
    new Proxy(members, {
      get: (all, name) => {
        // awaiting the object reads its "then"
        if (typeof name === 'symbol' || name === 'then' || name in all) return all[name];
        return fail(`${where} has no ${name}`);
      },
    });
  const frame = (name) =>
    Object.assign(document.createElement('iframe'), { src: `https://js.stripe.com/v3/${name}.html`, title: name });
  const call = (path) => fetch(`https://api.stripe.com/v1/${path}`, { method: 'POST' });

  const checkoutOf = (session) => {
    let mounted = false;
    const confirm = async (options = {}) => {
      only('confirm', options, [
        'returnUrl',
        'redirect',
        'paymentMethod',
        'savePaymentMethod',
        'email',
        'phoneNumber',
        'billingAddress',
        'shippingAddress',
        'expressCheckoutConfirmEvent',
      ]);
      if (!mounted) fail('confirm before the Payment Element is mounted');
      if ('email' in options && !/^\S+@\S+$/.test(options.email)) fail(`confirm with the email ${options.email}`);
      await call(`payment_pages/${session}/confirm`);
      const outcome = outcomes.shift() ?? 'success';
      if (outcome === 'declined')
        return { type: 'error', error: { message: 'Your card was declined.', code: 'paymentFailed' } };
      const saved = await fetch('/_sim/complete', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ session, card: 'ok' }),
      });
      if (!saved.ok) fail(`the simulator answered ${saved.status}`);
      if (outcome !== 'redirect') return { type: 'success', session: { id: session } };
      location.assign(window.stripeReturnURL); // simulates the bank's page, which redirects to the session's return URL
      return new Promise(() => {});
    };
    return documented('the checkout', {
      createPaymentElement: (options = {}) => {
        only('createPaymentElement', options, [
          'layout',
          'fields',
          'terms',
          'wallets',
          'paymentMethodOrder',
          'business',
        ]);
        return documented('the Payment Element', {
          mount: (place) => {
            const element = typeof place === 'string' ? document.querySelector(place) : place;
            if (!element?.isConnected) fail('mount in an element that is not on the page');
            if (mounted) fail('the Payment Element is mounted twice');
            mounted = true;
            element.append(frame('elements-inner-payment'));
          },
        });
      },
      loadActions: async () => {
        await call(`payment_pages/${session}/init`);
        return { type: 'success', actions: documented('the actions', { confirm }) };
      },
    });
  };
  window.Stripe = (key, options = {}) => {
    if (!/^pk_(test|live)_/.test(key)) fail(`${key} is not a publishable key`);
    only('Stripe', options, ['locale', 'apiVersion', 'betas', 'stripeAccount', 'developerTools']);
    if (options.locale !== document.documentElement.lang) fail(`the locale is ${options.locale}`);
    return documented('Stripe', {
      initCheckout: (given) => {
        only('initCheckout', given, ['clientSecret', 'elementsOptions', 'adaptivePricing']);
        if (!/^\w+_secret/.test(given.clientSecret)) fail('the client secret has another form');
        return checkoutOf(given.clientSecret.split('_secret')[0]);
      },
    });
  };
}

/**
 * Lets the checkout's page use Stripe.js instead of the simulator's form. Each confirmation has the
 * next outcome: declined, redirect or success. Returns a function that fails if the page called
 * something undocumented, or if the content security policy blocked something.
 */
export async function useStripe(page, outcomes) {
  await page.addInitScript(() => {
    new MutationObserver(() => document.body?.removeAttribute('data-processor')).observe(document, {
      childList: true,
      subtree: true,
    });
  });
  const asked = [];
  await page.route(/^https:\/\/([\w-]+\.)*(stripe|link)\.com\//, (route) => {
    const url = new URL(route.request().url());
    asked.push(url.host + url.pathname.replace(/cs_\w+|\/payment_pages\/[^/]+/, '/payment_pages/…'));
    if (url.pathname.endsWith('.js'))
      return route.fulfill({ contentType: 'text/javascript', body: `(${standIn})(${JSON.stringify(outcomes)});` });
    return url.host === 'api.stripe.com'
      ? route.fulfill({ json: {}, headers: { 'Access-Control-Allow-Origin': '*' } })
      : route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Stripe</title>' });
  });
  await page.route('**/checkout-intent/start', async (route) => {
    const answer = await route.fetch();
    const started = await answer.json();
    const query = new URLSearchParams({ orderId: started.orderId, session_id: started.sessionId });
    await page.evaluate(
      (url) => {
        window.stripeReturnURL = url;
      },
      `${new URL(page.url()).pathname.replace('checkout', 'pledge-success')}?${query}`,
    );
    await route.fulfill({ response: answer });
  });
  return async () => {
    assert.deepEqual(await page.evaluate(() => window.stripeFaults ?? []), []);
    return asked;
  };
}
