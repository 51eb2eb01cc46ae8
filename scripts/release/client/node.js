// What Node 20 does not have comes first.
import './older-node.js';

export * from './main.js';
