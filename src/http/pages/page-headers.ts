// The headers of what browsers show: nothing is loaded but what the policy says, and nothing of the
// device is asked for.

/** What a page could ask a device for, and none of these does. */
const unused = [
  ...['accelerometer', 'autoplay', 'camera', 'display-capture', 'encrypted-media', 'geolocation'],
  ...['gyroscope', 'hid', 'magnetometer', 'microphone', 'midi', 'payment', 'picture-in-picture'],
  ...['publickey-credentials-get', 'screen-wake-lock', 'serial', 'usb', 'xr-spatial-tracking'],
];

const permissionsPolicy = unused.map((feature) => `${feature}=()`).join(', ');

/** @example pageHeaders(["default-src 'none'", "style-src 'self'"]) */
export function pageHeaders(policy: readonly string[]): Readonly<Record<string, string>> {
  const closed = ["base-uri 'none'", "frame-ancestors 'none'", "object-src 'none'"];
  return {
    'Content-Security-Policy': [...policy, ...closed].join('; '),
    'Permissions-Policy': permissionsPolicy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    // The server's own pages may say where they were: a request by cookie is told by it.
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-cache',
  };
}
