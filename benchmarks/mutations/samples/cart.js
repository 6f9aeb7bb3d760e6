'use strict';

const fs = require('fs');
const path = require('path');

const discounts = new Map();

function readCart(folder) {
  const file = path.join(folder, 'cart.json');
  if (fs.existsSync(file)) {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  }
  return [];
}

function totalOf(items) {
  let total = 0;
  for (const item of items) {
    total += item.price * (1 - (discounts.get(item.name) || 0));
  }
  return total;
}

function priceOf(folder) {
  const items = readCart(folder);
  return totalOf(items);
}

module.exports = { readCart, totalOf, priceOf };
