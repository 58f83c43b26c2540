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
  cartCheckout: {
    method: 'POST', path: '/shop/checkout', summary: 'The checkout of a cart', body: 'CartForm',
    answers: [{ status: 303, media: 'text/html', choice: '`Location` is the `checkout_url`' }],
    errors: ['notFound', 'alreadyOwned', 'notAvailable', 'tooLarge', 'wrongMediaType'], bucket: 'checkout',
    credential: 'none', isOurs: true,
  },
  payPage: {
    method: 'GET', path: '/shop/pay/{session_id}', summary: 'The page of `checkout_url`: no money moves',
    answers: [{ status: 200, media: 'text/html' }], errors: ['noAccess'], bucket: 'general', credential: 'none',
    isOurs: true,
  },
  pay: {
    method: 'POST', path: '/shop/pay/{session_id}', summary: '"Pay", "decline" or "leave"', body: 'PayForm',
    answers: [{ status: 303, media: 'text/html', choice: '`Location` is the `success_url` or the `cancel_url`' }],
    errors: ['noAccess', 'alreadyOwned', 'tooLarge', 'wrongMediaType'], bucket: 'general', credential: 'none',
    isOurs: true,
  },
  receipt: {
    method: 'GET', path: '/shop/receipt/{order_id}', summary: 'The page of `invoice_hosted_url`',
    query: 'ReceiptQuery', answers: [{ status: 200, media: 'text/html' }], errors: ['noAccess', 'orderExpired'],
    bucket: 'general', credential: 'query', isOurs: true,
  },
  receiptPdf: {
    method: 'GET', path: '/shop/receipt/{order_id}/pdf', summary: 'The file of `invoice_pdf_url`',
    query: 'ReceiptQuery', answers: [{ status: 200, media: 'application/pdf' }], errors: ['noAccess', 'orderExpired'],
    bucket: 'general', credential: 'query', isOurs: true,
  },
  account: {
    method: 'GET', path: '/account', summary: 'Realtime key and days of the account that is signed in',
    answers: [{ status: 200, media: 'text/html' }], errors: [], bucket: 'general', credential: 'account',
    isOurs: true, choice: 'without an account the page asks for its token',
  },
  rotateKey: {
    method: 'POST', path: '/account', summary: 'A new realtime key; the days stay', body: 'AccountForm',
    answers: [{ status: 303, media: 'text/html', choice: '`Location` is `/account`' }],
    errors: ['noAccess', 'tooLarge', 'wrongMediaType'], bucket: 'general', credential: 'account', isOurs: true,
  },
  signIn: {
    method: 'POST', path: '/account/sign-in', summary: 'Signs in by the token of an account', body: 'SignInForm',
    answers: [{ status: 303, media: 'text/html', choice: '`Location` is `/account`, with the session cookie' }],
    errors: ['noAccess', 'tooLarge', 'wrongMediaType'], bucket: 'orders', credential: 'none', isOurs: true,
  },
  signOut: {
    method: 'POST', path: '/account/sign-out', summary: 'Forgets the session cookie', body: 'AccountForm',
    answers: [{ status: 303, media: 'text/html', choice: '`Location` is `/account`' }],
    errors: ['noAccess', 'tooLarge', 'wrongMediaType'], bucket: 'general', credential: 'account', isOurs: true,
  },
} as const
