/** The pages of the shop: buy links (spec 1), and ours. */
export const PAGE_ROUTES = {
  cart: {
    method: 'GET', path: '/shop', summary: 'A cart of days, from a buy link', query: 'CartQuery',
    answers: [{ status: 200, media: 'text/html' }], errors: ['notFound'], bucket: 'general', credential: 'none',
    choice: 'the cart receives days that are sold; without `i` it is the catalogue',
  },
  bundleCart: {
    method: 'GET', path: '/shop/bundles', summary: 'A cart of bundle days, from a buy link', query: 'BundleCartQuery',
    answers: [{ status: 200, media: 'text/html' }], errors: ['notFound'], bucket: 'general', credential: 'none',
  },
  payPage: {
    method: 'GET', path: '/shop/pay/{session_id}', summary: 'The page of `checkout_url`: no money moves',
    answers: [{ status: 200, media: 'text/html' }], errors: ['noAccess'], bucket: 'general', credential: 'none',
    isOurs: true,
  },
  pay: {
    method: 'POST', path: '/shop/pay/{session_id}', summary: '"Pay", "decline" or "leave"', body: 'PayForm',
    answers: [{ status: 303, media: 'text/html', choice: '`Location` is the `success_url` or the `cancel_url`' }],
    errors: ['noAccess', 'tooLarge', 'wrongMediaType'], bucket: 'general', credential: 'none', isOurs: true,
  },
  receipt: {
    method: 'GET', path: '/shop/receipt/{order_id}', summary: 'The page of `invoice_hosted_url`',
    answers: [{ status: 200, media: 'text/html' }], errors: ['noAccess'], bucket: 'general', credential: 'query',
    isOurs: true,
  },
  account: {
    method: 'GET', path: '/account', summary: 'Realtime key and days of the account that is signed in',
    answers: [{ status: 200, media: 'text/html' }], errors: ['noAccess'], bucket: 'general', credential: 'account',
    isOurs: true,
  },
  rotateKey: {
    method: 'POST', path: '/account', summary: 'A new realtime key; the days stay',
    answers: [{ status: 303, media: 'text/html' }], errors: ['noAccess'], bucket: 'general', credential: 'account',
    isOurs: true,
  },
} as const
