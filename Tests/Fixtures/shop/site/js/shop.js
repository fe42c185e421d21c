// Shared by both pages: the catalogue, prices, and pictures drawn from a product's shape and colours.

export async function loadProducts() {
  const response = await fetch("products.json");
  if (!response.ok) throw new Error(`products.json: ${response.status}`);
  return response.json();
}

export function price(cents) {
  return `€ ${(cents / 100).toFixed(2)}`;
}

const shapes = {
  cup: '<path d="M70 70h90v70a30 30 0 0 1-30 30h-30a30 30 0 0 1-30-30z"/>' +
    '<path d="M160 88h14a22 22 0 0 1 0 44h-14" fill="none" stroke-width="12"/>',
  bowl: '<path d="M40 96h160c0 46-32 74-62 74h-36c-30 0-62-28-62-74z"/><path d="M96 170h48v12H96z"/>',
  vase: '<path d="M104 42h32v28c34 22 40 56 26 92-6 16-12 24-18 24h-48c-6 0-12-8-18-24-14-36-8-70 26-92z"/>'
};

export function picture(product) {
  const [glaze, ground] = product.colours;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 240" width="480" height="480">` +
    `<rect width="240" height="240" fill="${ground}"/><ellipse cx="120" cy="190" rx="76" ry="10" opacity=".12"/>` +
    `<g fill="${glaze}" stroke="${glaze}">${shapes[product.kind]}</g></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
