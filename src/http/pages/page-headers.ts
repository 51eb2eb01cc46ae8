// The headers of pages for browsers: only resources that the policy allows are loaded, and no
// feature of the device is requested.

/** Features that a page could request of a device; none of ours does. */
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
    // Our own pages send their address, because requests with a cookie are checked by it.
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-cache',
  };
}
