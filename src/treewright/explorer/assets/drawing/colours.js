// Colours of numbers, and of words on colours, as formatting/colours.py has them.

// The colour of a number that lies this far between the lowest and the highest, from 0 to 1.
export function numberColour(scale, share) {
  const place = Math.min(Math.max(share, 0), 1) * (scale.length - 1);
  const step = Math.min(Math.floor(place), scale.length - 2);
  const [low, high] = [scale[step], scale[step + 1]].map(channels);
  const mixed = low.map((channel, index) =>
    Math.floor(channel + (high[index] - channel) * (place - step) + 0.5),
  );
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

// Whether black stands out better than white on a colour (relative luminance, WCAG 2).
export function isLight(colour) {
  const [red, green, blue] = channels(colour).map((channel) => (channel / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18;
}

function channels(colour) {
  return [1, 3, 5].map((place) => parseInt(colour.slice(place, place + 2), 16));
}
